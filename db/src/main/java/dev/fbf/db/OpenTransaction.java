package dev.fbf.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The caller's transaction, before its COMMIT. */
public final class OpenTransaction {

    private static final String IN_FAILED_TRANSACTION = "25P02";

    private static final boolean HAS_PGJDBC = hasPgjdbc();

    private OpenTransaction() {}

    /**
     * Whether a COMMIT of the transaction would commit it. In PostgreSQL a transaction in which a statement failed cannot
     * be committed any more, not even if the caller made light of the exception: COMMIT rolls it back, and pgjdbc reports
     * that as success (all versions but 42.2.11). So whoever relies on a COMMIT asks here, after the last statement.
     *
     * <p>With pgjdbc, pooled or not, this asks the driver and costs no round trip. Other drivers of PostgreSQL, and
     * proxies that cannot be unwrapped, cost one.
     *
     * @param connection the caller's connection
     * @return false if the transaction has failed; true for databases other than PostgreSQL, which undo no more than the
     *     statement or tell of it
     * @throws SQLException if the database cannot be reached
     */
    public static boolean canCommit(Connection connection) throws SQLException {
        if (isOfPgjdbc(connection)) {
            return !Pgjdbc.hasFailed(connection);
        }
        return !FbfSchema.isPostgres(connection) || canSelect(connection);
    }

    /**
     * Tells whether the transaction has ended already, as it has if the caller's code commits it in its manager's stead.
     *
     * @param connection the caller's connection, after a statement was sent in the transaction
     * @return whether it has; false if the driver is not PostgreSQL's own
     * @throws SQLException if the driver cannot be asked
     */
    static boolean hasEnded(Connection connection) throws SQLException {
        return isOfPgjdbc(connection) && Pgjdbc.hasEnded(connection);
    }

    /**
     * Tells whether a connection, pooled or not, is one of PostgreSQL's own driver.
     *
     * @param connection any connection
     * @return whether it is
     * @throws SQLException if the driver cannot be asked
     */
    public static boolean isOfPgjdbc(Connection connection) throws SQLException {
        return HAS_PGJDBC && Pgjdbc.isBelow(connection);
    }

    private static boolean canSelect(Connection connection) throws SQLException {
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
            Class.forName("org.postgresql.core.BaseConnection", false, OpenTransaction.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** A class of its own, so that nobody needs the driver's classes who has another driver. */
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
}
