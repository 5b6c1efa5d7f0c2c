package dev.fbf.db.dialect;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Data source for Flyway that gives the same connection each time. The connection is in a transaction, which its owner ends: COMMIT only
 * sets a savepoint, and a rollback returns to the latest one.
 */
final class OneConnection implements InvocationHandler {

    private final Connection connection;
    private Savepoint committed;

    private OneConnection(Connection connection) throws SQLException {
        this.connection = connection;
        committed = connection.setSavepoint();
    }

    /** @param connection has autocommit off */
    static DataSource over(Connection connection) throws SQLException {
        Connection shared = proxy(Connection.class, new OneConnection(connection));
        return proxy(DataSource.class, (self, method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
            }
            return shared;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(OneConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "close", "setAutoCommit" -> {
                return null;
            }
            case "commit" -> {
                committed = connection.setSavepoint();
                return null;
            }
            case "rollback" -> {
                connection.rollback(committed);
                return null;
            }
            default -> {
                try {
                    return method.invoke(connection, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getTargetException();
                }
            }
        }
    }
}
