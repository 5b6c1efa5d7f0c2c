package dev.fbf.spring.method;

import dev.fbf.spring.CallerResolver;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.operation.StartException;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of the guard of annotated methods. Annotated methods in an application without a database stop the start, unless
 * {@code fbf.enabled} is false.
 */
@AutoConfiguration(afterName = "dev.fbf.spring.web.FbfWebAutoConfiguration")
final class FbfMethodAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(OperationGuards.class)
    static class Guarded {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static GuardedMethods fbfGuardedMethods(ConfigurableListableBeanFactory beans, Declarations declarations) {
            return new GuardedMethods(beans, declarations);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static GuardPostProcessor fbfGuardPostProcessor(
                GuardedMethods methods,
                ObjectProvider<OperationExecutor> executor,
                ObjectProvider<OperationResolver> operations) {
            return new GuardPostProcessor(
                    methods,
                    new GuardInterceptor(
                            methods,
                            SingletonSupplier.of(executor::getObject),
                            SingletonSupplier.of(operations::getObject),
                            null));
        }

        @Bean
        static UnguardedBeans fbfUnguardedBeans(
                GuardedMethods methods, ConfigurableListableBeanFactory beans, GuardPostProcessor guarding) {
            return new UnguardedBeans(methods, beans, guarding);
        }

        @Bean
        OperationResolver fbfOperationResolver(
                BeanFactory beans,
                FbfProperties properties,
                ObjectProvider<Caller> authenticated,
                ObjectProvider<CallerResolver> callers) {
            return new OperationResolver(
                    beans,
                    new KeyHeader(properties.key().header()),
                    authenticated.getIfAvailable(() -> Caller.ANYBODY),
                    callers.getIfAvailable());
        }

        /** Opens the scopes at startup. Defined after the checks of methods, so that these run first. */
        @Bean
        SmartInitializingSingleton fbfScopesOpener(
                OperationGuards guards, Declarations declarations, Scopes scopes, GuardedMethods methods) {
            return () -> {
                declarations.open(guards);
                scopes.warnOfUnknown();
                methods.logHandlersOfLogins();
            };
        }

        /** The return type does not need Spring Security, which is optional. */
        @Bean
        @ConditionalOnClass(name = "org.springframework.security.core.context.SecurityContextHolder")
        Caller fbfAuthenticatedCaller() {
            return new AuthenticatedCaller();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean({DataSource.class, OperationGuards.class})
    @ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
    static class Unguarded {

        /** Stops the start if a bean has annotated methods. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static BeanPostProcessor fbfUnguardedMethods() {
            return new BeanPostProcessor() {

                @Override
                public Object postProcessAfterInitialization(Object bean, String beanName) {
                    Class<?> type = GuardedMethods.typeOf(bean);
                    if (GuardedMethods.hasAnnotated(type)) {
                        throw new StartException(
                                "@IdempotentIncrement on methods of " + type.getName()
                                        + ": the application has neither a DataSource nor fbf's starter for Cassandra with a"
                                        + " CqlSession, so nothing would be guarded.",
                                "Add a DataSource, or a CqlSession with fbf's starter for Cassandra; for tests, H2 in memory will"
                                        + " do. Or set fbf.enabled=false to run unguarded on purpose.",
                                null);
                    }
                    return bean;
                }
            };
        }
    }
}
