package dev.fbf.db.connection;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The connection of a guarded transaction. Over PostgreSQL's own driver the caller's first statement takes a {@link Prelude}
 * along, so that both cost one round trip. Where that is impossible, as for a batch, the prelude is sent ahead.
 *
 * <p>Serves one thread at a time, as connections do.
 */
public final class TransactionConnection {

    /*
     * One statement "turn the witness; COMMIT" in place of the manager's COMMIT would need none of this. It was tried; three
     * things are lost without the witness's row from the first statement on. A backend that a broken connection left behind is
     * found, and ended, by that row. However the transaction is committed (by Hibernate after its last checks, by the driver
     * when autocommit is switched on), the witness goes with it. And in ledger mode a duplicate is found before the caller's
     * SQL waits for rows or fails.
     */

    /** Methods that execute no statement, or must work in a failed transaction. */
    private static final Set<String> NEEDS_NO_PRELUDE = Set.of(
            "abort",
            "clearWarnings",
            "createArrayOf",
            "createStruct",
            "getAutoCommit",
            "getHoldability",
            "getMetaData",
            "getWarnings",
            "isClosed",
            "isReadOnly",
            "isWrapperFor",
            "nativeSQL",
            "rollback");

    /** Methods that end the transaction, or may do so. */
    private static final Set<String> COMMITS = Set.of("commit", "setAutoCommit");

    private static final String IN_FAILED_TRANSACTION = "25P02";

    private static final boolean HAS_PGJDBC = hasPgjdbc();

    /** Beside class 08: the server has ended the connection, or does not take any. */
    private static final Set<String> DISCONNECTED = Set.of("57P01", "57P02", "57P03");

    private final Connection connection;
    private final Connection forCaller;

    private @Nullable Prelude pending;
    private @Nullable Prelude sent;

    /** Whether the caller has asked for a COMMIT, which is its manager's to ask for. */
    private boolean committed;

    /** Whether the caller has rolled back all that was sent before, a prelude with it. */
    private boolean rolledBack;

    /** Whether a statement has failed because there was no connection, or none any more. */
    private boolean disconnected;

    private TransactionConnection(Connection connection, @Nullable Class<? extends Connection> type) {
        this.connection = connection;
        forCaller = type == null
                ? connection
                : type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this::invoke));
    }

    /**
     * {@return one over the manager's connection, whose statements take preludes along if its driver is known to send several at once}
     *
     * @param type what {@link #forCaller} then is; an accessor {@code getTargetConnection} of it gets the manager's connection
     */
    public static TransactionConnection over(Connection connection, Class<? extends Connection> type)
            throws SQLException {
        return new TransactionConnection(connection, isOfPgjdbc(connection) ? type : null);
    }

    /** {@return one that takes no preludes along: the caller has got the same connection as the transaction's manager already} */
    public static TransactionConnection shared(Connection connection) {
        return new TransactionConnection(connection, null);
    }

    /** {@return whether a connection, pooled or not, is one of PostgreSQL's own driver} */
    static boolean isOfPgjdbc(Connection connection) throws SQLException {
        return HAS_PGJDBC && Pgjdbc.isBelow(connection);
    }

    /** {@return whether the caller's statements take preludes along; else it uses the same connection as the transaction's manager} */
    public boolean takesPreludes() {
        return forCaller != connection;
    }

    /**
     * {@return the connection for the caller's statements} If it takes preludes along, {@code close()} has no effect: the
     * transaction manager closes the connection.
     */
    public Connection forCaller() {
        return forCaller;
    }

    /** From now on the caller's next statement takes this along. One that is waiting already is sent at once. */
    public void add(Prelude prelude) throws SQLException {
        flush();
        pending = prelude;
    }

    /**
     * Sends a pending prelude alone. Must be called before COMMIT, because the caller may have executed no statement.
     *
     * @throws SQLException if that fails, or was refused before: the transaction has to roll back
     */
    public void flush() throws SQLException {
        Prelude prelude = pending;
        if (prelude == null) {
            return;
        }
        requireNotRefused(prelude);
        prelude.execute(connection);
        sent();
    }

    /**
     * Returns whether a COMMIT would commit the transaction; to be called after the last statement. In PostgreSQL a transaction in
     * which a statement failed can no longer be committed, even if the caller ignored the exception. COMMIT then rolls it back, and
     * pgjdbc reports success (all versions except 42.2.11).
     *
     * <p>With pgjdbc, pooled or not, this asks the driver and costs no round trip. Other drivers of PostgreSQL, and
     * proxies that cannot be unwrapped, cost one.
     *
     * @return false if the transaction has failed; true for databases other than PostgreSQL, which undo only the
     *     failed statement or report that they undid more
     * @throws SQLException if the database cannot be reached
     */
    public boolean canCommit() throws SQLException {
        if (isOfPgjdbc(connection)) {
            return !Pgjdbc.hasFailed(connection);
        }
        return !Postgres.is(connection) || canSelect();
    }

    /**
     * {@return whether the caller's code may have committed the transaction in its manager's stead} To be called before the manager's
     * rollback. A COMMIT over another driver than PostgreSQL's own, on a connection that takes no preludes along, is not noticed.
     */
    public boolean mayHaveCommitted() {
        try {
            return committed || (pending == null && isOfPgjdbc(connection) && Pgjdbc.hasEnded(connection));
        } catch (SQLException e) {
            return true; // the connection is broken: the rollback fails, too
        }
    }

    /**
     * {@return whether the caller's code has rolled the transaction back in its manager's stead, so that it must not commit} Over a
     * connection that takes no preludes along, that is not noticed.
     */
    public boolean wasRolledBack() {
        return rolledBack;
    }

    /** {@return whether there was no connection when it was needed, or there is none any more} */
    public boolean isBroken() {
        try {
            return disconnected || connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Notes why a statement of the transaction has failed. */
    void failed(Throwable failure) {
        disconnected |= failure instanceof SQLException e && isOfConnection(e);
    }

    private static boolean isOfConnection(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || state.startsWith("08")
                || DISCONNECTED.contains(state);
    }

    private void sent() {
        sent = pending;
        pending = null;
    }

    /** {@return whether a prelude is waiting: then no statement of the caller's was sent since it was added} */
    public boolean isWaiting() {
        return pending != null;
    }

    /** The transaction goes back to a point at which a prelude was waiting: if that was sent since, the next statement takes it along again. */
    public void repeat() {
        if (pending == null) {
            pending = sent;
        }
    }

    /** The transaction goes back to a point before the prelude: it is not sent any more. */
    public void drop() {
        pending = null;
        sent = null;
    }

    /** As the transaction's manager has it. */
    public Connection connection() {
        return connection;
    }

    /** Returns the prelude that the next statement is to take along, if any. */
    @Nullable Prelude pending() throws SQLException {
        if (pending != null) {
            requireNotRefused(pending);
        }
        return pending;
    }

    /**
     * Executes a statement that begins with the pending prelude. If it fails, no part of it was executed, and the prelude stays
     * pending: some drivers can be configured to continue after a failure.
     *
     * @return whether the caller's own part yields rows
     */
    boolean executeWithPrelude(PreparedStatement statement) throws SQLException {
        requireNonNull(pending).execute(statement);
        sent();
        return statement.getMoreResults();
    }

    private static void requireNotRefused(Prelude prelude) throws SQLException {
        if (prelude.isRefused()) {
            throw prelude.refusal(null);
        }
    }

    private boolean canSelect() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            return true;
        } catch (SQLException e) {
            if (IN_FAILED_TRANSACTION.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    private static boolean hasPgjdbc() {
        try {
            Class.forName("org.postgresql.core.BaseConnection", false, TransactionConnection.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** A class of its own, so that applications with another driver do not need the classes of this one. */
    private static final class Pgjdbc {

        static boolean isBelow(Connection connection) throws SQLException {
            return connection.isWrapperFor(BaseConnection.class);
        }

        static boolean hasFailed(Connection connection) throws SQLException {
            return state(connection) == TransactionState.FAILED;
        }

        static boolean hasEnded(Connection connection) throws SQLException {
            return state(connection) == TransactionState.IDLE;
        }

        private static TransactionState state(Connection connection) throws SQLException {
            return connection.unwrap(BaseConnection.class).getTransactionState();
        }
    }

    private @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "equals" -> {
                Object other = requireNonNull(arguments)[0];
                return self == other
                        || connection == other; // code that got the other one before uses the same transaction
            }
            case "hashCode" -> {
                return connection.hashCode();
            }
            case "toString" -> {
                return "with preludes: " + connection;
            }
            case "getTargetConnection" -> {
                return connection;
            }
            case "close" -> {
                return null;
            }
            case "prepareStatement" -> {
                if (pending != null && requireNonNull(arguments).length == 1) {
                    return PreludeStatement.of(this, (String) requireNonNull(arguments[0]));
                }
            }
            default -> {
                // as the connection does it
            }
        }
        try {
            return invokeOnConnection(method, arguments);
        } catch (SQLException e) {
            failed(e);
            throw e;
        }
    }

    private @Nullable Object invokeOnConnection(Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (!NEEDS_NO_PRELUDE.contains(method.getName())) {
            flush();
        }
        committed |= COMMITS.contains(method.getName());
        // what waits still goes with the next statement
        rolledBack |= method.getName().equals("rollback") && method.getParameterCount() == 0 && pending == null;
        Object result = call(connection, method, arguments);
        return result instanceof Statement statement ? ofCaller(statement, method.getReturnType()) : result;
    }

    /** A statement that names the caller's connection as its own. */
    private Object ofCaller(Statement statement, Class<?> type) {
        return Proxy.newProxyInstance(
                TransactionConnection.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> switch (method.getName()) {
                    case "equals" -> self == requireNonNull(arguments)[0];
                    case "getConnection" -> forCaller;
                    default -> call(statement, method, arguments);
                });
    }

    static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
