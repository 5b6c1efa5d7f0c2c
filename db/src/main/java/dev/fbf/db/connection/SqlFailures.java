package dev.fbf.db.connection;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLWarning;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLWarning;

/** The meaning of an {@link SQLException} of PostgreSQL for the transaction of the failed statement. */
public final class SqlFailures {

    public static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final int CLASS = 2;

    /** Data exceptions, violated constraints and check options, exceptions raised by triggers. */
    private static final Set<String> OF_DATA = Set.of("22", "23", "44", "P0");

    private static final Set<String> OF_STATEMENTS = Set.of("21", "25", "2D", "40", "42", "53", "54", "55");

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String COMPLETION_UNKNOWN = "40003";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String CANCELED = "57014";

    private static final String ROLLBACK = "40";
    private static final String CONNECTION = "08";
    private static final String SHUTDOWN = "57";

    private SqlFailures() {}

    /** Adds the remedy to a failure to serialize a transaction that has read before an operation was entered in it; else returns it. */
    public static SQLException explained(SQLException e, String table) {
        if (!SERIALIZATION_FAILURE.equals(e.getSQLState())) {
            return e;
        }
        return new SQLTransactionRollbackException(
                "fbf could not record the operation in " + table
                        + ", or the statement that came with it failed: the transaction's isolation is REPEATABLE READ or above,"
                        + " and other transactions have committed since it began to read. It has to roll back. Retry the whole"
                        + " transaction; to avoid that, call the guarded method before other SQL of the transaction, or in a"
                        + " transaction of its own (REQUIRES_NEW).",
                SERIALIZATION_FAILURE,
                e);
    }

    /** Whether the data to be written caused the failure. */
    public static boolean isOfData(SQLException e) {
        return OF_DATA.contains(classOf(e.getSQLState()));
    }

    /** Describes a failure for the log. The message of a batch that failed repeats the parameters of its statement: bodies and headers. */
    public static String withoutParameters(Exception e) {
        return e instanceof BatchUpdateException batch ? "SQL state " + batch.getSQLState() : e.toString();
    }

    /** Whether another transaction was in the way, so that the same may succeed now. */
    public static boolean isOfOthers(SQLException e) {
        return ROLLBACK.equals(classOf(e.getSQLState())) && !COMPLETION_UNKNOWN.equals(e.getSQLState());
    }

    /** Whether another transaction has held a lock for longer than was to be waited. */
    public static boolean isOfLocks(SQLException e) {
        return LOCK_NOT_AVAILABLE.equals(e.getSQLState());
    }

    /** Whether it took longer than it may, waiting for a lock or not. */
    public static boolean isOfTime(SQLException e) {
        return isOfLocks(e) || CANCELED.equals(e.getSQLState());
    }

    /**
     * Whether the server has reported the failure, so that the transaction is rolled back. If not, the outcome is unknown: the
     * connection may have been lost after the COMMIT.
     */
    public static boolean isSure(SQLException e, Connection connection) throws SQLException {
        return !connection.isClosed() && (isOfPgjdbc(e) ? Pgjdbc.isError(e) : isOfStatement(e)) && !isOfConnection(e);
    }

    /** As far as another driver, or a proxy before it, lets that be known. */
    private static boolean isOfStatement(SQLException e) {
        return isOfData(e) || OF_STATEMENTS.contains(classOf(e.getSQLState())) || CANCELED.equals(e.getSQLState());
    }

    /** Whether a proxy or a server that ends may have reported the failure without knowing the transaction's outcome. */
    private static boolean isOfConnection(SQLException e) {
        String state = e.getSQLState();
        return COMPLETION_UNKNOWN.equals(state)
                || CONNECTION.equals(classOf(state))
                || (SHUTDOWN.equals(classOf(state)) && !CANCELED.equals(state));
    }

    private static boolean isOfPgjdbc(SQLException e) {
        return e.getClass().getName().equals(Pgjdbc.EXCEPTION);
    }

    /**
     * Checks that a COMMIT has not given up waiting for a synchronous standby because it was canceled, as a statement's timeout does. The
     * server reports that as a success with a warning, though a standby that takes over may lack the transaction.
     *
     * @param warnings of the statement that has committed
     * @throws SQLException if it has (SQL state 40003), so that the outcome is unknown
     */
    public static void requireReplicated(@Nullable SQLWarning warnings) throws SQLException {
        for (SQLWarning warning = warnings; warning != null; warning = warning.getNextWarning()) {
            if (warning.getClass().getName().equals(Pgjdbc.WARNING) && Pgjdbc.isOfReplication(warning)) {
                throw new SQLException(warning.getMessage(), COMPLETION_UNKNOWN, warning);
            }
        }
    }

    /** A class of its own, so that applications with another driver do not need the classes of this one. */
    private static final class Pgjdbc {

        static final String EXCEPTION = "org.postgresql.util.PSQLException";
        static final String WARNING = "org.postgresql.util.PSQLWarning";

        /** The warning has no SQL state of its own, and its text may be in any language. */
        private static final String ROUTINE = "SyncRepWaitForLSN";

        /** Whether the server has sent it, and not the driver thrown it by itself. */
        static boolean isError(SQLException e) {
            return ((PSQLException) e).getServerErrorMessage() != null;
        }

        static boolean isOfReplication(SQLWarning warning) {
            return ROUTINE.equals(
                    ((PSQLWarning) warning).getServerErrorMessage().getRoutine());
        }
    }

    private static String classOf(@Nullable String state) {
        return state == null || state.length() < CLASS ? "" : state.substring(0, CLASS);
    }
}
