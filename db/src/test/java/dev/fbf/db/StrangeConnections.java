package dev.fbf.db;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/** Connections of drivers that are not at hand. */
public final class StrangeConnections {

    private StrangeConnections() {}

    /** One that knows the name of its product and nothing else. */
    public static Connection of(String product) {
        DatabaseMetaData metaData = proxy(DatabaseMetaData.class, (proxy, method, args) -> switch (method.getName()) {
            case "getDatabaseProductName" -> product;
            default -> throw new UnsupportedOperationException(method.getName());
        });
        return proxy(Connection.class, (proxy, method, args) -> switch (method.getName()) {
            case "getMetaData" -> metaData;
            case "isWrapperFor" -> false;
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    /** One that does not tell which driver is below. */
    public static Connection around(Connection connection) {
        return proxy(Connection.class, (proxy, method, args) -> {
            if (method.getName().equals("isWrapperFor")) {
                return false;
            }
            return call(connection, method, args);
        });
    }

    /** One that goes on when it is closed, as that of a pool does. */
    public static Connection pooled(Connection connection) {
        return closing(connection, () -> {});
    }

    /** One that goes on when it is closed, and tells when it is. */
    public static Connection closing(Connection connection, Runnable closed) {
        return proxy(Connection.class, (proxy, method, args) -> {
            if (method.getName().equals("close")) {
                closed.run();
                return null;
            }
            return call(connection, method, args);
        });
    }

    /** One that executes what yields rows, and is lost before the response arrives. */
    public static Connection withoutResponses(Connection connection) {
        return throwing(connection, () -> {
            connection.close();
            return new SQLException("lost", "08006");
        });
    }

    /** One that executes what yields rows, and throws something then. */
    public static Connection throwing(Connection connection, Callable<Throwable> what) {
        return answering(connection, () -> {
            throw what.call();
        });
    }

    /** One that does something after it has executed what yields rows, and before it yields them. */
    public static Connection answering(Connection connection, Response response) {
        return proxy(Connection.class, (proxy, method, args) -> {
            Object result = call(connection, method, args);
            return result instanceof PreparedStatement statement ? answering(statement, response) : result;
        });
    }

    private static PreparedStatement answering(PreparedStatement statement, Response response) {
        return proxy(PreparedStatement.class, (proxy, method, args) -> {
            Object result = call(statement, method, args);
            if (method.getName().startsWith("execute")) {
                response.begin();
            }
            return result;
        });
    }

    /** One that shows what is prepared. */
    public static Connection noting(Connection connection, Statements statements) {
        return proxy(Connection.class, (proxy, method, args) -> {
            if (method.getName().equals("prepareStatement")) {
                statements.prepared((String) args[0], connection);
            }
            return call(connection, method, args);
        });
    }

    /** Sees statements. */
    public interface Statements {
        void prepared(String sql, Connection connection) throws SQLException;
    }

    /** What comes before a response. */
    public interface Response {
        void begin() throws Throwable;
    }

    private static Object call(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A data source that gets its connections from here. */
    public static DataSource dataSource(Callable<Connection> connections) {
        return proxy(DataSource.class, (proxy, method, args) -> connections.call());
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(StrangeConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
