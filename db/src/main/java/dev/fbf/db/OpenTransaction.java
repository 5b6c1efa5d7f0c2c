package dev.fbf.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The caller's transaction, before its COMMIT. */
final class OpenTransaction {

    private static final String IN_FAILED_TRANSACTION = "25P02";

    private static final boolean HAS_PGJDBC = hasPgjdbc();

    private OpenTransaction() {}

    /** As {@link TransactionConnection#canCommit}. */
    static boolean canCommit(Connection connection) throws SQLException {
        if (isOfPgjdbc(connection)) {
            return !Pgjdbc.hasFailed(connection);
        }
        return !FbfSchema.isPostgres(connection) || canSelect(connection);
    }

    /** Whether it has ended, after a statement was sent in it; false if the driver is not PostgreSQL's own. */
    static boolean hasEnded(Connection connection) throws SQLException {
        return isOfPgjdbc(connection) && Pgjdbc.hasEnded(connection);
    }

    static boolean isOfPgjdbc(Connection connection) throws SQLException {
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
