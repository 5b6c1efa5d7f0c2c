package dev.fbf.loadtest.torture.situations;

import dev.fbf.spring.IdempotentIncrement;
import java.lang.reflect.Proxy;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An interface that a library implements, as it does a repository. */
interface Pages {

    @IdempotentIncrement(scope = Guarded.SCOPE, key = "#call.key")
    void add(Call call);

    record Factory(JdbcClient jdbc) implements FactoryBean<Pages> {

        @Override
        public Pages getObject() {
            return (Pages) Proxy.newProxyInstance(
                    Pages.class.getClassLoader(), new Class<?>[] {Pages.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("add")) {
                            ((Call) arguments[0]).apply(jdbc);
                            return null;
                        }
                        return method.invoke(this, arguments);
                    });
        }

        @Override
        public Class<?> getObjectType() {
            return Pages.class;
        }
    }
}
