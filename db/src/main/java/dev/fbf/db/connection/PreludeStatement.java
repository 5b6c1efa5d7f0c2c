package dev.fbf.db.connection;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Statement that is prepared when it is executed, because only then it is known whether a prelude is sent with it. Until then it records
 * its parameters. A call that it cannot record prepares it without a prelude.
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

    /**
     * REMEMBERS           -> TOOK_PRELUDE   executed once, with a prelude
     * REMEMBERS, TOOK_PRELUDE -> PREPARED   as if there were no prelude
     * all                 -> CLOSED
     */
    private enum State {
        REMEMBERS,
        TOOK_PRELUDE,
        PREPARED,
        CLOSED
    }

    private final TransactionConnection connection;
    private final String sql;

    /** Calls of setters, in their order. */
    private final List<Setting> parameters = new ArrayList<>();

    private @Nullable Setting queryTimeout;

    /** The statement that was prepared last. */
    private @Nullable PreparedStatement statement;

    /** Written after the statement, which any thread may cancel. */
    private volatile State state = State.REMEMBERS;

    /** Recorded call of a setter. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Setting(Method method, @Nullable Object[] arguments) {}

    PreludeStatement(TransactionConnection connection, String sql) {
        this.connection = connection;
        this.sql = sql;
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
                return connection.forCaller;
            }
            case "close" -> {
                state = State.CLOSED;
                closeStatement();
                return null;
            }
            case "isClosed" -> {
                return state == State.CLOSED;
            }
            default -> {
                // like the statement itself
            }
        }
        try {
            return call(method, arguments);
        } catch (SQLException e) {
            connection.failed(e);
            throw e;
        }
    }

    private @Nullable Object call(Method method, @Nullable Object[] arguments) throws Throwable {
        State now = state;
        PreparedStatement executed = statement;
        if (now == State.CLOSED) {
            throw new SQLException("the statement is closed: " + sql, "55000");
        }
        if (now == State.PREPARED) {
            return callPrepared(method, arguments);
        }
        if (now == State.TOOK_PRELUDE && OF_WHAT_WAS_EXECUTED.contains(method.getName())) {
            return TransactionConnection.call(requireNonNull(executed), method, arguments);
        }
        if (remembers(method, arguments)) {
            return null;
        }
        if (now == State.TOOK_PRELUDE && isGetter(method)) {
            return get(requireNonNull(executed), method, arguments);
        }
        Prelude prelude = now == State.REMEMBERS
                        && method.getDeclaringClass() == PreparedStatement.class
                        && method.getName().startsWith("execute")
                ? connection.waiting()
                : null;
        if (prelude != null && prepareWith(prelude)) {
            PreparedStatement both = requireNonNull(statement);
            prelude.execute(both);
            return result(method.getName(), both);
        }
        prepare();
        return callPrepared(method, arguments);
    }

    private boolean remembers(Method method, @Nullable Object[] arguments) {
        String name = method.getName();
        if (name.equals("setQueryTimeout")) {
            queryTimeout = new Setting(method, arguments);
        } else if (name.equals("clearParameters")) {
            parameters.clear();
        } else if (name.startsWith("set")
                && arguments.length >= 2
                && method.getDeclaringClass() == PreparedStatement.class) {
            parameters.add(new Setting(method, arguments));
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
        try (PreparedStatement alone = connection.connection.prepareStatement(sql)) {
            return TransactionConnection.call(alone, method, arguments);
        }
    }

    /**
     * Prepares the statement with a prelude; returns false if that fails. The caller then gets the exception of the attempt without
     * a prelude.
     */
    private boolean prepareWith(Prelude prelude) throws Throwable {
        PreparedStatement both = null;
        try {
            both = connection.connection.prepareStatement(JoinedSql.of(prelude.sql, sql));
            replay(both, prelude.bind(both));
            statement = both;
            state = State.TOOK_PRELUDE;
            return true;
        } catch (SQLException e) {
            return false;
        } finally {
            if (both != null && state != State.TOOK_PRELUDE) {
                both.close();
            }
        }
    }

    private void prepare() throws Throwable {
        closeStatement();
        PreparedStatement alone = connection.connection.prepareStatement(sql);
        statement = alone;
        state = State.PREPARED;
        replay(alone, 0);
    }

    /** Repeats the setters, with indexes moved by {@code offset}. */
    private void replay(PreparedStatement prepared, int offset) throws Throwable {
        for (Setting parameter : parameters) {
            @Nullable Object[] arguments = parameter.arguments.clone();
            arguments[0] = (Integer) requireNonNull(arguments[0]) + offset;
            TransactionConnection.call(prepared, parameter.method, arguments);
        }
        if (queryTimeout != null) {
            TransactionConnection.call(prepared, queryTimeout.method, queryTimeout.arguments);
        }
    }

    /** Returns the result of the caller's statement, which follows that of the prelude. */
    private @Nullable Object result(String name, PreparedStatement both) throws SQLException {
        boolean yieldsRows = both.getMoreResults();
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
