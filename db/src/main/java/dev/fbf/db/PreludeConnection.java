package dev.fbf.db;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection with a transaction open, for the caller's statements: the first of them takes a {@link Prelude} along, so
 * that both cost one round trip. What cannot take one along, such as a batch, has it sent ahead.
 *
 * <p>Serves one thread at a time, as connections do.
 */
public final class PreludeConnection {

    /*
     * One statement "turn the witness; COMMIT" in place of the manager's COMMIT would need none of this. It was tried; three
     * things are lost without the witness's row from the first statement on. A backend that a broken connection left behind is
     * found, and ended, by that row. However the transaction is committed (by Hibernate after its last checks, by the driver
     * when autocommit is switched on), the witness goes with it. And in ledger mode a duplicate is found before the caller's
     * SQL waits for rows or fails.
     */

    /** What executes nothing, or must be possible in a transaction that has failed. */
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

    /** What ends the transaction, or may do so. */
    private static final Set<String> COMMITS = Set.of("commit", "setAutoCommit");

    private final Connection connection;
    private final Connection proxy;

    private @Nullable Prelude pending;
    private boolean endsWriting;
    private boolean mayHaveCommitted;
    private boolean rolledBack;

    private PreludeConnection(Connection connection) {
        this.connection = connection;
        proxy = (Connection) Proxy.newProxyInstance(
                PreludeConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this::invoke);
    }

    /**
     * Makes one.
     *
     * @param connection the transaction's
     * @return one that sends over it; null if its driver is not known to send several statements at once
     * @throws SQLException if the driver cannot be asked
     */
    public static @Nullable PreludeConnection over(Connection connection) throws SQLException {
        return OpenTransaction.isOfPgjdbc(connection) ? new PreludeConnection(connection) : null;
    }

    /**
     * Makes one without asking whose the connection is.
     *
     * @param connection the transaction's; one of PostgreSQL's own driver once it is used, which it need not be yet
     * @return one that sends over it
     */
    public static PreludeConnection overPgjdbc(Connection connection) {
        return new PreludeConnection(connection);
    }

    /**
     * Returns what the caller is to use. To close it has no effect: that is up to whoever began the transaction.
     *
     * @return always the same one
     */
    public Connection forCaller() {
        return proxy;
    }

    /**
     * From now on the caller's next statement takes this along. One that is waiting already is sent at once.
     *
     * @param prelude a new one
     * @throws SQLException if the one before fails
     */
    public void add(Prelude prelude) throws SQLException {
        flush();
        pending = prelude;
    }

    /**
     * Sends what is waiting alone. Must be called before COMMIT, in case that the caller has executed nothing.
     *
     * @throws SQLException if that fails, or was refused before: the transaction has to roll back
     */
    public void flush() throws SQLException {
        if (endsWriting) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET TRANSACTION READ ONLY");
            }
            endsWriting = false;
        }
        Prelude prelude = pending;
        if (prelude == null) {
            return;
        }
        requireNotRefused(prelude);
        prelude.execute(connection);
        pending = null;
    }

    /**
     * Makes the transaction read-only when the connection is used next. Unlike {@link Connection#setReadOnly} this ends with the
     * transaction, for not every pool resets that; and it does not choose another server, for what is read may just have been
     * written.
     */
    public void endWriting() {
        endsWriting = true;
    }

    /**
     * Tells whether a prelude is waiting: then nothing of the caller's was sent since it was added.
     *
     * @return whether one is
     */
    public boolean isWaiting() {
        return pending != null;
    }

    /** The transaction goes back to a point before the prelude: it is not sent any more. */
    public void drop() {
        pending = null;
    }

    /** Whether the caller has asked for a COMMIT, which is its transaction manager's to ask for. */
    boolean mayHaveCommitted() {
        return mayHaveCommitted;
    }

    /** Whether the caller has rolled back all that was sent before, a prelude with it. */
    boolean wasRolledBack() {
        return rolledBack;
    }

    Connection connection() {
        return connection;
    }

    /** What the next statement is to take along. */
    @Nullable Prelude pending() throws SQLException {
        if (pending != null) {
            requireNotRefused(pending);
        }
        return pending;
    }

    /**
     * Executes a statement that begins with what is waiting. If it fails, nothing of it was done, and it goes on waiting:
     * some drivers can be told to go on after a failure.
     *
     * @return whether the caller's own part yields rows
     */
    boolean executeWithPrelude(PreparedStatement statement) throws SQLException {
        requireNonNull(pending).execute(statement);
        pending = null;
        return statement.getMoreResults();
    }

    private static void requireNotRefused(Prelude prelude) throws SQLException {
        if (prelude.isRefused()) {
            throw prelude.refusal(null);
        }
    }

    private @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "equals" -> {
                return self == requireNonNull(arguments)[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(self);
            }
            case "toString" -> {
                return "with preludes: " + connection;
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
        if (!NEEDS_NO_PRELUDE.contains(method.getName())) {
            flush();
        }
        mayHaveCommitted |= COMMITS.contains(method.getName());
        // what waits still goes with the next statement
        rolledBack |= method.getName().equals("rollback") && method.getParameterCount() == 0 && pending == null;
        return call(connection, method, arguments);
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
