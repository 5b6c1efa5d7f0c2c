package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.operation.GuardedMethodException;
import dev.fbf.spring.operation.GuardedMethods;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Finds annotated methods that nothing guards. */
final class UnguardedMethods implements BeanPostProcessor {

    private final GuardedMethods methods = new GuardedMethods();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (methods.register(GuardedMethods.typeOf(bean))) {
            throw new GuardedMethodException(
                    methods.annotated().get(0).method(),
                    "the application has neither a DataSource nor a CqlSession, so nothing would be guarded.",
                    "Add a DataSource, or a CqlSession with fbf's starter for Cassandra; in tests without either, fbf-spring-boot-test"
                            + " keeps operations in memory. Or set fbf.enabled=false to run unguarded on purpose.");
        }
        return bean;
    }
}
