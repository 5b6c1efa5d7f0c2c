package dev.fbf.spring.method;

import dev.fbf.spring.CallerResolver;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.KeyResolver;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.OperationExecutor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.util.function.SingletonSupplier;

/** Guards annotated methods. */
@Configuration(proxyBeanMethods = false)
public final class MethodConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AdviceOrder fbfAdviceOrder(GuardedMethods methods, ObjectProvider<FbfProperties> properties) {
        return new AdviceOrder(methods, () -> properties.getObject().adviceOrder());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardPostProcessor fbfClaimPostProcessor(
            GuardedMethods methods,
            AdviceOrder order,
            ObjectProvider<OperationExecutor> executor,
            ObjectProvider<OperationResolver> operations) {
        return new GuardPostProcessor(
                methods,
                order,
                new ClaimInterceptor(
                        methods,
                        SingletonSupplier.of(executor::getObject),
                        SingletonSupplier.of(operations::getObject)));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardPostProcessor fbfEnlistPostProcessor(GuardedMethods methods, AdviceOrder order) {
        return new GuardPostProcessor(methods, order, new EnlistInterceptor());
    }

    @Bean
    static UnguardedBeans fbfUnguardedBeans(
            GuardedMethods methods,
            ConfigurableListableBeanFactory beans,
            @Qualifier("fbfClaimPostProcessor") GuardPostProcessor fbfClaimPostProcessor,
            AdviceOrder order) {
        return new UnguardedBeans(methods, beans, fbfClaimPostProcessor, order);
    }

    @Bean
    OperationResolver fbfOperationResolver(
            BeanFactory beans,
            FbfProperties properties,
            ObjectProvider<Caller> authenticated,
            ObjectProvider<KeyResolver> keys,
            ObjectProvider<CallerResolver> callers,
            KeylessCalls keyless) {
        return new OperationResolver(
                new Expressions(beans),
                new KeyHeader(properties.key().header()),
                authenticated.getIfAvailable(() -> Caller.ANYBODY),
                new OperationResolver.Resolvers(keys.getIfAvailable(), callers.getIfAvailable()),
                keyless);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class Security {

        @Bean
        AuthenticatedCaller fbfAuthenticatedCaller(ObjectProvider<Issuers> issuers) {
            return new AuthenticatedCaller(issuers.orderedStream().toList());
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ClaimAccessor.class)
        static class Tokens {

            @Bean
            @Order(0)
            TokenIssuers fbfTokenIssuers() {
                return new TokenIssuers();
            }
        }

        /** Asked after the issuers: a user of OpenID Connect has one. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass({ClaimAccessor.class, OAuth2AuthenticationToken.class})
        static class Logins {

            @Bean
            @Order(1)
            LoginProviders fbfLoginProviders() {
                return new LoginProviders();
            }
        }
    }
}
