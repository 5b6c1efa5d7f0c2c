package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Connection of a guarded transaction. Not thread-safe, except for {@link #check} and {@link #isLost}. */
public final class TransactionConnection {

    /** Whether pgjdbc is on the class path: its classes are used only then. */
    private static final boolean HAS_PGJDBC = hasPgjdbc();

    private final Connection connection;

    /** Null for drivers other than pgjdbc, and for connections that hide theirs. */
    private final @Nullable BaseConnection driver;

    /** Volatile: another thread may end a transaction that its own thread has abandoned. */
    private volatile boolean lost;

    public TransactionConnection(Connection connection) throws SQLException {
        this.connection = connection;
        driver = HAS_PGJDBC && connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class)
                : null;
    }

    /** Returns the manager's connection. */
    public Connection connection() {
        return connection;
    }

    /** {@return whether the connection was lost, as of the last {@link #check}} */
    public boolean isLost() {
        return lost;
    }

    /** Checks whether the connection is lost. */
    public void check() {
        try {
            lost = lost || connection.isClosed();
        } catch (SQLException e) {
            lost = true;
        }
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
        return !"PostgreSQL".equals(connection.getMetaData().getDatabaseProductName()) || canSelect();
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
            Class.forName("org.postgresql.core.BaseConnection", false, TransactionConnection.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
