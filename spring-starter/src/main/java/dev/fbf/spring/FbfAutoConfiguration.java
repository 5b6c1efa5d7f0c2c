package dev.fbf.spring;

import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Makes {@link IdempotentIncrement} work wherever there is a data source. */
@AutoConfiguration(
        after = DataSourceTransactionManagerAutoConfiguration.class,
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FbfProperties.class)
public final class FbfAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardedMethods fbfGuardedMethods() {
        return new GuardedMethods();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardPostProcessor fbfClaimPostProcessor(
            GuardedMethods methods,
            ObjectProvider<Guards> guards,
            ObjectProvider<OperationExecutor> executor,
            ObjectProvider<KeyResolver> keys,
            ObjectProvider<CallerResolver> callers,
            ObjectProvider<HttpRequests> http,
            ObjectProvider<OperationObservations> observations) {
        Supplier<ClaimInterceptor.Parts> parts = SingletonSupplier.of(() -> new ClaimInterceptor.Parts(
                guards.getObject(),
                executor.getObject(),
                keys.getObject(),
                callers.getObject(),
                http.getIfAvailable(() -> HttpRequests.NONE),
                observations.getObject()));
        return new GuardPostProcessor(methods, new ClaimInterceptor(methods, parts), true);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardPostProcessor fbfEnlistPostProcessor(GuardedMethods methods) {
        return new GuardPostProcessor(methods, new EnlistInterceptor(), false);
    }

    @Bean
    OperationObservations fbfOperationObservations(
            ObjectProvider<ObservationRegistry> registry, ObjectProvider<OperationObservationConvention> convention) {
        return new OperationObservations(
                registry.getIfUnique(() -> ObservationRegistry.NOOP), convention.getIfUnique());
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotentOperations fbfIdempotentOperations(GuardedMethods known, ObjectProvider<OperationExecutor> executor) {
        return new IdempotentOperations(known, SingletonSupplier.of(executor::getObject));
    }

    /** Only for whoever asks for it: it has a filter of its own. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    SqlCounters fbfSqlCounters(SqlCounters.Builder builder) {
        return builder.build();
    }

    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    SqlCounters.Builder fbfSqlCountersBuilder(
            GuardedMethods known,
            ObjectProvider<OperationExecutor> executor,
            ObjectProvider<Guards> guards,
            FbfProperties properties) {
        return new SqlCounters.Builder(known, executor, guards, properties);
    }

    /** After the application's own: Flyway refuses to begin in a schema that has tables, and fbf's go beside any. */
    @Bean
    @DependsOnDatabaseInitialization
    SchemaMigration fbfSchemaMigration(FbfProperties properties, ObjectProvider<DataSource> dataSource) {
        SchemaMigration migration = new SchemaMigration(properties.getSchema());
        dataSource.ifUnique(migration::migrate);
        return migration;
    }

    @Bean
    @ConditionalOnMissingBean
    RetryWindows fbfRetryWindows(FbfProperties properties) {
        return new RetryWindows(Clock.systemUTC(), properties);
    }

    @Bean
    Guards fbfGuards(
            FbfProperties properties,
            GuardedMethods methods,
            ListableBeanFactory beans,
            SchemaMigration schema,
            RetryWindows windows,
            Environment environment) {
        FbfProperties.requireKnownScopeProperties(environment);
        return new Guards(properties, methods, new GuardedDatabases(beans, properties, schema), windows);
    }

    @Bean
    OperationExecutor fbfOperationExecutor(
            Guards guards,
            ObjectProvider<HttpRequests> http,
            OperationObservations observations,
            FbfProperties properties) {
        return new OperationExecutor(
                guards, http.getIfAvailable(() -> HttpRequests.NONE), observations, properties.getInProgressTimeout());
    }

    @Bean
    KeylessCalls fbfKeylessCalls() {
        return new KeylessCalls();
    }

    @Bean
    Expressions fbfExpressions(BeanFactory beans) {
        return new Expressions(beans);
    }

    @Bean
    CallerResolver fbfCallerResolver(Expressions expressions, ObjectProvider<Caller> authenticated) {
        return new CallerResolver(expressions, authenticated.getIfAvailable(() -> Caller.ANYBODY));
    }

    @Bean
    KeyResolver fbfKeyResolver(
            Expressions expressions,
            FbfProperties properties,
            RetryWindows windows,
            ObjectProvider<HttpRequests> http,
            KeylessCalls keyless) {
        FbfProperties.Key key = properties.getKey();
        return new KeyResolver(
                expressions,
                http.getIfAvailable(() -> HttpRequests.NONE),
                new KeyHeader(key.getHeader(), key.isStrict()),
                windows,
                keyless);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class Security {

        @Bean
        AuthenticatedCaller fbfAuthenticatedCaller() {
            return new AuthenticatedCaller();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({HttpServletRequest.class, ServletRequestAttributes.class})
    static class Servlet {

        @Bean
        ServletRequests fbfServletRequests() {
            return new ServletRequests();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({HttpServletRequest.class, HandlerExceptionResolver.class})
    static class WebMvc {

        /** Before all filters that read what the request consists of. */
        @Bean
        @Conditional(WhereRequestsAreCompared.class)
        FilterRegistrationBean<FingerprintFilter> fbfFingerprintFilter(FbfProperties properties) {
            FilterRegistrationBean<FingerprintFilter> registration = new FilterRegistrationBean<>(
                    new FingerprintFilter(properties.getKey().getHeader(), (int)
                            properties.getFingerprint().getMaxBody().toBytes()));
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 10);
            return registration;
        }

        /** Behind all other filters: what they add to a response, they add to a replay as well. */
        @Bean
        @Conditional(WhereResponsesAreKept.class)
        FilterRegistrationBean<ResponseFilter> fbfResponseFilter(FbfProperties properties) {
            FilterRegistrationBean<ResponseFilter> registration = new FilterRegistrationBean<>(new ResponseFilter(
                    (int) properties.getResponses().getMaxBody().toBytes()));
            registration.setOrder(Ordered.LOWEST_PRECEDENCE - 10);
            return registration;
        }

        @Bean
        HttpContract fbfHttpContract(
                FbfProperties properties, MessageSource messages, ObjectProvider<PolicyController> policy) {
            return new HttpContract(properties.getRetryAfter(), messages, () -> {
                PolicyController served = policy.getIfAvailable();
                return served == null ? null : served.link();
            });
        }

        @Bean
        CallersCommit fbfCallersCommit(
                @Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> others) {
            return new CallersCommit(others::getObject);
        }

        @Bean
        @ConditionalOnBooleanProperty("fbf.policy.enabled")
        PolicyController fbfPolicyController(
                FbfProperties properties,
                GuardedMethods methods,
                CallerResolver callers,
                @Qualifier("requestMappingHandlerMapping") ObjectProvider<RequestMappingHandlerMapping> handlers) {
            return new PolicyController(
                    new PolicyWriter(
                            properties,
                            methods,
                            callers,
                            () -> handlers.getObject().getHandlerMethods()),
                    properties.getPolicy().getPath());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(GlobalOperationCustomizer.class)
    static class Springdoc {

        @Bean
        OpenApi fbfOpenApi(FbfProperties properties, GuardedMethods methods) {
            return new OpenApi(properties, methods);
        }
    }

    static final class WhereRequestsAreCompared implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return FbfProperties.in(context.getEnvironment()).getFingerprint().isEnabled();
        }
    }

    static final class WhereResponsesAreKept implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return FbfProperties.in(context.getEnvironment()).keepsResponses();
        }
    }
}
