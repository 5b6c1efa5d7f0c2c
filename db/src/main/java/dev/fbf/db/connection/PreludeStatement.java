package dev.fbf.db.connection;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A statement that is prepared only when it is executed, because only then it is known whether it takes a prelude along.
 * Until then it remembers its parameters. A call that it cannot remember prepares it without a prelude.
 */
final class PreludeStatement implements InvocationHandler {

    private static final Set<String> OF_WHAT_WAS_EXECUTED = Set.of(
            "cancel",
            "clearWarnings",
            "getLargeUpdateCount",
            "getMoreResults",
            "getResultSet",
            "getUpdateCount",
            "getWarnings");

    private final TransactionConnection connection;
    private final String sql;
    private final Map<Integer, Setting> parameters = new TreeMap<>();

    private @Nullable Setting queryTimeout;

    /** What is sent; volatile, because any thread may cancel it. */
    private volatile @Nullable PreparedStatement statement;

    private boolean withPrelude;
    private boolean closed;

    /** A call of a setter. */
    private record Setting(Method method, List<@Nullable Object> arguments) {

        /** Repeats it for a parameter further behind. */
        void apply(PreparedStatement statement, int offset) throws Throwable {
            @Nullable Object[] moved = arguments.toArray();
            moved[0] = (Integer) requireNonNull(moved[0]) + offset;
            TransactionConnection.call(statement, method, moved);
        }
    }

    private PreludeStatement(TransactionConnection connection, String sql) {
        this.connection = connection;
        this.sql = sql;
    }

    static PreparedStatement of(TransactionConnection connection, String sql) {
        return (PreparedStatement) Proxy.newProxyInstance(
                PreludeStatement.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                new PreludeStatement(connection, sql));
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] given) throws Throwable {
        @Nullable Object[] arguments = given == null ? new Object[0] : given;
        switch (method.getName()) {
            case "equals" -> {
                return self == arguments[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(self);
            }
            case "toString" -> {
                return sql;
            }
            case "getConnection" -> {
                return connection.forCaller();
            }
            case "close" -> {
                closed = true;
                closeStatement();
                return null;
            }
            case "isClosed" -> {
                return closed;
            }
            default -> {
                // as the statement does it
            }
        }
        try {
            return statement == null || withPrelude
                    ? callUnprepared(method, arguments)
                    : callPrepared(method, arguments);
        } catch (SQLException e) {
            connection.failed(e);
            throw e;
        }
    }

    /** Handles a call before a statement was prepared, or with one that serves a single execution. */
    private @Nullable Object callUnprepared(Method method, @Nullable Object[] arguments) throws Throwable {
        PreparedStatement executed = statement;
        if (executed != null && OF_WHAT_WAS_EXECUTED.contains(method.getName())) {
            return TransactionConnection.call(executed, method, arguments);
        }
        if (closed) {
            throw new SQLException("the statement is closed: " + sql, "55000");
        }
        if (remembers(method, arguments)) {
            return null;
        }
        if (executed == null && executes(method) && prepareWithPrelude()) {
            return executeWithPrelude(method.getName());
        }
        if (executed != null && isGetter(method)) {
            return get(executed, method, arguments);
        }
        prepare();
        return callPrepared(method, arguments);
    }

    private boolean remembers(Method method, @Nullable Object[] arguments) {
        if (setsParameter(method, arguments)) {
            parameters.put((Integer) requireNonNull(arguments[0]), new Setting(method, Arrays.asList(arguments)));
        } else if (method.getName().equals("clearParameters")) {
            parameters.clear();
        } else if (method.getName().equals("setQueryTimeout")) {
            queryTimeout = new Setting(method, Arrays.asList(arguments));
        } else {
            return false;
        }
        return true;
    }

    private @Nullable Object callPrepared(Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().startsWith("execute")) {
            connection.flush();
        }
        return TransactionConnection.call(requireNonNull(statement), method, arguments);
    }

    private static boolean setsParameter(Method method, @Nullable Object[] arguments) {
        return method.getDeclaringClass() == PreparedStatement.class
                && method.getName().startsWith("set")
                && arguments.length >= 2;
    }

    private static boolean isGetter(Method method) {
        return method.getName().startsWith("get") || method.getName().startsWith("is");
    }

    /** Calls a getter; leaves the executed statement open, because its rows may still be read. */
    private @Nullable Object get(PreparedStatement executed, Method method, @Nullable Object[] arguments)
            throws Throwable {
        boolean isOfCallersPart = method.getName().equals("getParameterMetaData")
                || (method.getName().equals("getMetaData") && executed.getResultSet() == null);
        if (!isOfCallersPart) {
            return TransactionConnection.call(executed, method, arguments);
        }
        try (PreparedStatement alone = connection.connection().prepareStatement(sql)) {
            return TransactionConnection.call(alone, method, arguments);
        }
    }

    private static boolean executes(Method method) {
        return method.getDeclaringClass() == PreparedStatement.class
                && method.getName().startsWith("execute");
    }

    /** Fails for an invalid statement; the caller gets the exception of the attempt to execute it without a prelude. */
    private boolean prepareWithPrelude() throws Throwable {
        Prelude prelude = connection.pending();
        if (prelude == null) {
            return false;
        }
        PreparedStatement both = null;
        try {
            both = connection.connection().prepareStatement(prelude.sql() + ";\n" + sql);
            replay(both, prelude.bind(both));
        } catch (SQLException e) {
            if (both != null) {
                both.close();
            }
            return false;
        }
        statement = both;
        withPrelude = true;
        return true;
    }

    private void prepare() throws Throwable {
        closeStatement();
        PreparedStatement alone = connection.connection().prepareStatement(sql);
        statement = alone;
        withPrelude = false;
        replay(alone, 0);
    }

    private void replay(PreparedStatement prepared, int offset) throws Throwable {
        for (Setting parameter : parameters.values()) {
            parameter.apply(prepared, offset);
        }
        if (queryTimeout != null) {
            queryTimeout.apply(prepared, 0);
        }
    }

    private @Nullable Object executeWithPrelude(String name) throws SQLException {
        PreparedStatement both = requireNonNull(statement);
        boolean yieldsRows = connection.executeWithPrelude(both);
        switch (name) {
            case "executeQuery" -> {
                if (!yieldsRows) {
                    throw new SQLException("executeQuery: the statement yields no rows: " + sql, "02000");
                }
                return both.getResultSet();
            }
            case "executeUpdate", "executeLargeUpdate" -> {
                if (yieldsRows) {
                    throw new SQLException(name + ": the statement yields rows: " + sql, "0100E");
                }
                return name.equals("executeUpdate") ? (Object) both.getUpdateCount() : both.getLargeUpdateCount();
            }
            default -> {
                return yieldsRows;
            }
        }
    }

    private void closeStatement() throws SQLException {
        PreparedStatement open = statement;
        if (open != null) {
            open.close();
        }
    }
}
