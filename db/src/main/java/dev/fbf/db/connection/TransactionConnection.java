package dev.fbf.db.connection;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
 * Connection of a guarded transaction. With pgjdbc, a {@link Prelude} is sent together with the caller's first statement, so that both cost
 * one round trip. If that is impossible, for example for a batch, the prelude is sent separately before.
 *
 * <p>Not thread-safe.
 */
public final class TransactionConnection {

    /*
     * A single statement "turn the witness; COMMIT" instead of the manager's COMMIT would be simpler. Updating the witness's row first has
     * three advantages. The row identifies a backend that a broken connection left behind, so that it can be terminated. The witness
     * commits with the transaction in every case, whether Hibernate commits after its last checks or the driver when autocommit is switched
     * on. And in ledger mode a duplicate is found before the caller's SQL waits for rows or fails.
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

    private static final ClassLoader LOADER = TransactionConnection.class.getClassLoader();

    /** Whether pgjdbc is on the class path: its classes are used only then. */
    private static final boolean HAS_PGJDBC = hasPgjdbc();

    /** SQL states, in addition to class 08, for a connection that the server has ended or not accepted. */
    private static final Set<String> DISCONNECTED = Set.of("57P01", "57P02", "57P03");

    /**
     * State of the transaction until its manager ends it.
     *
     * <pre>
     * OPEN        -> LOST          a statement fails for lack of a connection, or the connection is closed
     * OPEN, LOST  -> ROLLED_BACK   the caller rolls back, or requests COMMIT after a statement has failed
     * OPEN, LOST  -> IN_DOUBT      the caller requests COMMIT
     * IN_DOUBT    -> COMMITTED     that COMMIT is confirmed
     * </pre>
     *
     * On a connection without preludes, only LOST is detected.
     */
    public enum State {
        OPEN,
        LOST,
        ROLLED_BACK,
        IN_DOUBT,
        COMMITTED
    }

    final Connection connection;
    final Connection forCaller;

    /** Null for drivers other than pgjdbc, and for connections that hide theirs. */
    private final @Nullable BaseConnection driver;

    /** Volatile: another thread may end a transaction that its own thread has abandoned. */
    private volatile State state = State.OPEN;

    /** The latest prelude, pending or sent; null if there is none, or if it was dropped. */
    private @Nullable Prelude prelude;

    /**
     * Creates a connection over the manager's connection. If its driver can send several statements at once, it sends preludes with the
     * caller's statements.
     *
     * @param type the type of {@link #forCaller} in that case; its accessor {@code getTargetConnection} returns the manager's connection.
     *     Null for a connection without preludes, because the caller already has the manager's connection
     */
    public TransactionConnection(Connection connection, @Nullable Class<? extends Connection> type)
            throws SQLException {
        this.connection = connection;
        driver = HAS_PGJDBC && connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class)
                : null;
        forCaller = type == null || driver == null
                ? connection
                : type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this::invoke));
    }

    /** {@return whether preludes are sent with the caller's statements; if not, the caller uses the manager's connection} */
    public boolean takesPreludes() {
        return forCaller != connection;
    }

    /**
     * {@return the connection for the caller's statements} If preludes are sent with them, {@code close()} has no effect: the transaction
     * manager closes the connection.
     */
    public Connection forCaller() {
        return forCaller;
    }

    /** Returns the manager's connection. */
    public Connection connection() {
        return connection;
    }

    public State state() {
        return state;
    }

    /** Adds a prelude to the caller's next statement. A prelude that is already pending is sent first, alone. */
    public void add(Prelude added) throws SQLException {
        flush();
        prelude = added;
    }

    /**
     * Sends a pending prelude alone. Must be called before COMMIT, because the caller may have executed no statement.
     *
     * @throws SQLException if the prelude fails, or was refused before: the transaction must roll back
     */
    public void flush() throws SQLException {
        Prelude waiting = waiting();
        if (waiting != null) {
            waiting.executeAlone(connection);
        }
    }

    /** Returns the prelude for the next statement; null if there is none. */
    @Nullable Prelude waiting() {
        return prelude == null || prelude.isSent() ? null : prelude;
    }

    /** {@return whether a prelude is pending} */
    public boolean isWaiting() {
        return waiting() != null;
    }

    /** Records a rollback to a point at which a prelude was pending. If it was sent since, it is sent again with the next statement. */
    public void repeat() {
        if (prelude != null) {
            prelude.repeat();
        }
    }

    /** Records a rollback to a point before the prelude, which is not sent any more. */
    public void drop() {
        prelude = null;
    }

    /**
     * Returns whether COMMIT would commit the transaction. Called after the last statement. In PostgreSQL a transaction in which a
     * statement failed can no longer be committed, even if the caller ignored the exception. COMMIT then rolls it back, and pgjdbc reports
     * success (all versions except 42.2.11).
     *
     * <p>With pgjdbc, pooled or not, this asks the driver and costs no round trip. Other drivers of PostgreSQL, and proxies that cannot be
     * unwrapped, cost one.
     *
     * @return false if the transaction has failed; true for databases other than PostgreSQL, which undo only the failed statement or report
     *     that they undid more
     * @throws SQLException if the database cannot be reached
     */
    public boolean canCommit() throws SQLException {
        if (driver != null) {
            return driver.getTransactionState() != TransactionState.FAILED;
        }
        return !Postgres.is(connection) || canSelect();
    }

    /**
     * {@return whether the caller's code may have committed the transaction itself} On a connection without preludes, COMMIT through a
     * driver other than pgjdbc is not detected.
     */
    public boolean mayHaveCommitted() {
        return state == State.IN_DOUBT
                || state == State.COMMITTED
                || (waiting() == null && driver != null && driver.getTransactionState() == TransactionState.IDLE);
    }

    /** Checks whether the connection is lost. */
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

    /** Marks the connection as lost if a statement's failure shows that. */
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
            if (SqlFailures.isOfEarlierFailure(e)) {
                return false;
            }
            throw e;
        }
    }

    private static boolean hasPgjdbc() {
        try {
            Class.forName("org.postgresql.core.BaseConnection", false, LOADER);
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
                return self == other || connection == other; // the manager's connection has the same transaction
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
                if (waiting() != null && requireNonNull(arguments).length == 1) {
                    PreludeStatement statement = new PreludeStatement(this, (String) requireNonNull(arguments[0]));
                    return Proxy.newProxyInstance(LOADER, new Class<?>[] {PreparedStatement.class}, statement);
                }
            }
            default -> {
                // like the connection itself
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
                && waiting() == null) { // a pending prelude still goes with the next statement
            rolledBack();
        }
        Object result = call(connection, method, arguments);
        return result instanceof Statement statement ? ofCaller(statement, method.getReturnType()) : result;
    }

    /**
     * Checks the transaction before the caller's own COMMIT, because drivers may report success when COMMIT rolls back
     * a failed transaction.
     */
    private void beforeCallersCommit() throws SQLException {
        if (state == State.ROLLED_BACK) {
            throw new SQLTransactionRollbackException(
                    "This transaction and its operation were rolled back on the connection: each retry would repeat the"
                            + " statements committed since. Throw an exception instead of calling"
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

    /** Wraps a statement so that its {@code getConnection()} returns the caller's connection. */
    private Object ofCaller(Statement statement, Class<?> type) {
        return Proxy.newProxyInstance(LOADER, new Class<?>[] {type}, (self, method, arguments) -> {
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
