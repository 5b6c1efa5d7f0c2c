package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import java.lang.reflect.Proxy;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Methods of interfaces that a library implements: Spring Data's repositories, and MyBatis' mappers. */
@GuardedApp(beans = InterfacesTest.Factories.class)
class InterfacesTest extends CountingAppTest {

    static class Factories {

        @Bean
        static RepositoryFactory repository(DataSource dataSource) {
            return new RepositoryFactory(dataSource);
        }

        @Bean
        static MapperFactory mapper(DataSource dataSource) {
            return new MapperFactory(dataSource, Mapper.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"repository", "mapper"})
    void theirMethodsAreAppliedOnce(String bean) {
        appliesOnce(app.bean(bean, Adds.class));
    }

    private void appliesOnce(Adds adds) {
        String key = CallerOfTheTest.current();
        assertThat(adds.add(key, 1)).isEqualTo(1);
        assertThat(adds.add(key, 1)).isZero();

        assertThat(counted.value()).isEqualTo(1);
    }

    interface Adds {

        int add(String key, int by);

        default int before(String key, int by) {
            return 0;
        }
    }

    interface Repository extends Adds {

        @Override
        @IdempotentIncrement(scope = "repository", key = "#key", onDuplicate = "before")
        int add(String key, int by);
    }

    interface Mapper extends Adds {

        @Override
        @IdempotentIncrement(scope = "mapper", key = "#key", onDuplicate = "before")
        int add(String key, int by);
    }

    /** Its proxies have a target that lacks the repository's methods, and advice that does not proceed. */
    private record RepositoryFactory(DataSource dataSource) implements FactoryBean<Repository> {

        @Override
        public Repository getObject() {
            ProxyFactory proxies = new ProxyFactory();
            proxies.setTarget(new SimpleRepository());
            proxies.setInterfaces(Repository.class);
            proxies.addAdvice(
                    (MethodInterceptor) call -> call.getMethod().getName().equals("add")
                            ? InterfacesTest.add(dataSource, (int) call.getArguments()[1])
                            : 0);
            return (Repository) proxies.getProxy(InterfacesTest.class.getClassLoader());
        }

        @Override
        public Class<?> getObjectType() {
            return Repository.class;
        }
    }

    static class SimpleRepository {}

    private record MapperFactory(DataSource dataSource, Class<?> mapper) implements FactoryBean<Object> {

        @Override
        public Object getObject() {
            return Proxy.newProxyInstance(
                    InterfacesTest.class.getClassLoader(),
                    new Class<?>[] {mapper},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "add" -> add(dataSource, (int) arguments[1]);
                        case "before" -> 0;
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        default -> mapper.getName();
                    });
        }

        @Override
        public Class<?> getObjectType() {
            return mapper;
        }
    }

    private static int add(DataSource dataSource, int by) {
        int changed = JdbcClient.create(dataSource)
                .sql("UPDATE counted SET value = value + ?")
                .param(by)
                .update();
        if (by == Integer.MIN_VALUE) {
            throw new IllegalArgumentException("by=" + by);
        }
        return changed;
    }
}
