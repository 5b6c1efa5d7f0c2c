package dev.fbf.db.connection;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
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

    private static final String IN_FAILED_TRANSACTION = "25P02";

    /** Its classes are used only if they are there: with another driver, they need not be. */
    private static final boolean HAS_PGJDBC = hasPgjdbc();

    /** Beside class 08: the server has ended the connection, or does not take any. */
    private static final Set<String> DISCONNECTED = Set.of("57P01", "57P02", "57P03");

    /**
     * What has become of the transaction before its manager ends it.
     *
     * <pre>
     * OPEN        -> LOST          a statement finds no connection, or the connection is closed
     * OPEN, LOST  -> ROLLED_BACK   the caller rolls back what was sent, or asks for a COMMIT after a statement has failed
     * OPEN, LOST  -> IN_DOUBT      the caller asks for a COMMIT
     * IN_DOUBT    -> COMMITTED     that COMMIT is confirmed
     * </pre>
     *
     * On a connection that takes no preludes along, only LOST is noticed.
     */
    public enum State {
        OPEN,
        LOST,
        ROLLED_BACK,
        IN_DOUBT,
        COMMITTED
    }

    private final Connection connection;
    private final Connection forCaller;

    /** Null for other drivers than PostgreSQL's own, and for connections that hide theirs. */
    private final @Nullable BaseConnection driver;

    /** Volatile: another thread may end a transaction that its own has left. */
    private volatile State state = State.OPEN;

    /** The latest, which waits or was sent; null if there is none, or if it was taken back. */
    private @Nullable Prelude prelude;

    private TransactionConnection(
            Connection connection, @Nullable BaseConnection driver, @Nullable Class<? extends Connection> type) {
        this.connection = connection;
        this.driver = driver;
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
        BaseConnection driver = driver(connection);
        return new TransactionConnection(connection, driver, driver == null ? null : type);
    }

    /** {@return one that takes no preludes along: the caller has got the same connection as the transaction's manager already} */
    public static TransactionConnection shared(Connection connection) throws SQLException {
        return new TransactionConnection(connection, driver(connection), null);
    }

    private static @Nullable BaseConnection driver(Connection connection) throws SQLException {
        return HAS_PGJDBC && connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class)
                : null;
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

    /** As the transaction's manager has it. */
    public Connection connection() {
        return connection;
    }

    public State state() {
        return state;
    }

    /** From now on the caller's next statement takes this along. One that is waiting already is sent at once. */
    public void add(Prelude added) throws SQLException {
        flush();
        prelude = added;
    }

    /**
     * Sends a waiting prelude alone. Must be called before COMMIT, because the caller may have executed no statement.
     *
     * @throws SQLException if that fails, or was refused before: the transaction has to roll back
     */
    public void flush() throws SQLException {
        Prelude waiting = waiting();
        if (waiting != null) {
            waiting.execute(connection);
        }
    }

    /** Returns the prelude that the next statement is to take along; null if there is none. */
    @Nullable Prelude waiting() {
        return prelude == null || prelude.isSent() ? null : prelude;
    }

    /** {@return whether a prelude is waiting: then no statement of the caller's was sent since it was added} */
    public boolean isWaiting() {
        return waiting() != null;
    }

    /** The transaction goes back to a point at which a prelude was waiting: if that was sent since, the next statement takes it along again. */
    public void repeat() {
        if (prelude != null) {
            prelude.repeat();
        }
    }

    /** The transaction goes back to a point before the prelude: it is not sent any more. */
    public void drop() {
        prelude = null;
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
        if (driver != null) {
            return driver.getTransactionState() != TransactionState.FAILED;
        }
        return !Postgres.is(connection) || canSelect();
    }

    /**
     * {@return whether the caller's code may have committed the transaction in its manager's stead} A COMMIT over another driver than
     * PostgreSQL's own, on a connection that takes no preludes along, is not noticed.
     */
    public boolean mayHaveCommitted() {
        return state == State.IN_DOUBT
                || state == State.COMMITTED
                || (!isWaiting() && driver != null && driver.getTransactionState() == TransactionState.IDLE);
    }

    /** Notes whether the connection is lost. To be called before the manager ends the transaction, and closes it. */
    public void check() {
        try {
            if (connection.isClosed()) {
                lost();
            }
        } catch (SQLException e) {
            lost();
        }
    }

    private void lost() {
        if (state == State.OPEN) {
            state = State.LOST;
        }
    }

    /** Notes why a statement of the transaction has failed. */
    void failed(SQLException failure) {
        if (isOfConnection(failure)) {
            lost();
        }
    }

    private static boolean isOfConnection(SQLException e) {
        String sqlState = e.getSQLState() == null ? "" : e.getSQLState();
        return e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || sqlState.startsWith("08")
                || DISCONNECTED.contains(sqlState);
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
                if (isWaiting() && requireNonNull(arguments).length == 1) {
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
        String name = method.getName();
        if (!NEEDS_NO_PRELUDE.contains(name)) {
            flush();
        }
        if (name.equals("commit")
                || (name.equals("setAutoCommit") && Boolean.TRUE.equals(requireNonNull(arguments)[0]))) {
            beforeCallersCommit();
            call(connection, method, arguments);
            state = state == State.IN_DOUBT ? State.COMMITTED : state;
            return null;
        }
        if (name.equals("rollback")
                && arguments == null
                && !isWaiting()) { // what waits still goes with the next statement
            rolledBack();
        }
        Object result = call(connection, method, arguments);
        return result instanceof Statement statement ? ofCaller(statement, method.getReturnType()) : result;
    }

    /** A driver may call it a success when COMMIT rolls back a transaction that has failed. */
    private void beforeCallersCommit() throws SQLException {
        if (state == State.ROLLED_BACK) {
            throw new SQLTransactionRollbackException(
                    "This transaction was rolled back on its connection, and its operation with it: a COMMIT of later statements"
                            + " would count as often as the operation is retried. Throw an exception in place of"
                            + " Connection.rollback(), and leave COMMIT to the transaction manager.",
                    "40000");
        }
        if (!canCommit()) {
            rolledBack();
        } else if (state != State.COMMITTED) {
            state = State.IN_DOUBT;
        }
    }

    private void rolledBack() {
        if (state == State.OPEN || state == State.LOST) {
            state = State.ROLLED_BACK;
        }
    }

    /** A statement that names the caller's connection as its own. */
    private Object ofCaller(Statement statement, Class<?> type) {
        return Proxy.newProxyInstance(
                TransactionConnection.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return switch (method.getName()) {
                            case "equals" -> self == requireNonNull(arguments)[0];
                            case "getConnection" -> forCaller;
                            default -> call(statement, method, arguments);
                        };
                    } catch (SQLException e) {
                        failed(e);
                        throw e;
                    }
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
