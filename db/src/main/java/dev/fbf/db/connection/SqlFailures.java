package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/** Classification of PostgreSQL's {@link SQLException}s by their meaning for the transaction of the failed statement. */
public final class SqlFailures {

    public static final String INSUFFICIENT_PRIVILEGE = "42501";
    public static final String UNDEFINED_TABLE = "42P01";
    public static final String UNDEFINED_SCHEMA = "3F000";
    public static final String DUPLICATE_TABLE = "42P07";
    public static final String READ_ONLY = "25006";
    public static final String UNIQUE_VIOLATION = "23505";
    public static final String SERIALIZATION_FAILURE = "40001";
    public static final String LOCK_NOT_AVAILABLE = "55P03";
    public static final String DISK_FULL = "53100";

    /** State of a row that does not exist: the data caused the failure. */
    public static final String NO_DATA = "22000";

    private static final int CLASS = 2;

    /** Limit for a chain of causes, which can be a circle. */
    private static final int MOST_CAUSES = 100;

    /** Classes of SQL states for data exceptions, violated constraints and check options, and exceptions raised by triggers. */
    private static final Set<String> OF_DATA = Set.of("22", "23", "44", "P0");

    private static final Set<String> OF_STATEMENTS = Set.of("21", "25", "2D", "40", "42", "53", "54", "55");

    /** States of missing tables, schemas and privileges, and of a read-only transaction. */
    private static final Set<String> OF_TABLES =
            Set.of(UNDEFINED_TABLE, UNDEFINED_SCHEMA, INSUFFICIENT_PRIVILEGE, READ_ONLY);

    private static final String COMPLETION_UNKNOWN = "40003";
    private static final String IN_FAILED_TRANSACTION = "25P02";
    private static final String CANCELED = "57014";

    private static final String ROLLBACK = "40";
    private static final String CONNECTION = "08";
    private static final String SHUTDOWN = "57";

    private SqlFailures() {}

    /** Returns whether the data to be written caused the failure. */
    public static boolean isOfData(SQLException e) {
        return OF_DATA.contains(classOf(e.getSQLState()));
    }

    /** Returns whether a table or its schema does not exist. */
    public static boolean isOfMissingTable(SQLException e) {
        return UNDEFINED_TABLE.equals(e.getSQLState()) || UNDEFINED_SCHEMA.equals(e.getSQLState());
    }

    /** Returns whether the statement's table cannot be used: it is missing, or the user may not use it, or the transaction is read-only. */
    public static boolean isOfTable(SQLException e) {
        return e.getSQLState() != null && OF_TABLES.contains(e.getSQLState());
    }

    /** Returns whether a conflict with another transaction caused the failure: a retry may succeed. */
    public static boolean isOfOthers(SQLException e) {
        return ROLLBACK.equals(classOf(e.getSQLState())) && !COMPLETION_UNKNOWN.equals(e.getSQLState());
    }

    /** Returns whether an earlier statement of the transaction has failed. */
    public static boolean isOfEarlierFailure(SQLException e) {
        return IN_FAILED_TRANSACTION.equals(e.getSQLState());
    }

    /** Returns whether the server refused a row of a table, which is given by its name without the schema. */
    public static boolean isOfRowIn(String table, SQLException e) {
        return isOfData(e) && isOfPgjdbc(e) && Pgjdbc.isOfTable(table, e);
    }

    /** Returns whether the wait for another transaction's lock timed out. */
    public static boolean isOfLocks(SQLException e) {
        return LOCK_NOT_AVAILABLE.equals(e.getSQLState());
    }

    /** Returns whether the failure is the timeout of a lock or a statement, or a cancellation. */
    public static boolean isOfTime(SQLException e) {
        return isOfLocks(e) || CANCELED.equals(e.getSQLState());
    }

    /**
     * Returns whether the server reported the failure, and has therefore rolled the transaction back. Otherwise the outcome is unknown: the
     * connection may have been lost after COMMIT.
     */
    public static boolean isSure(SQLException e, Connection connection) throws SQLException {
        return !connection.isClosed() && isReported(e);
    }

    /** Returns whether the cause of a failure is a statement or COMMIT that the server has reported as failed. */
    public static boolean isReported(Throwable failure) {
        SQLException e = in(failure);
        return e != null && (isOfPgjdbc(e) ? Pgjdbc.isError(e) : isOfStatement(e)) && !isOfConnection(e);
    }

    /** Returns the first SQL exception among a failure and its causes; null if there is none. */
    public static @Nullable SQLException in(Throwable failure) {
        return causes(failure)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .findFirst()
                .orElse(null);
    }

    /** Returns a failure and its causes. */
    public static Stream<Throwable> causes(Throwable failure) {
        return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(MOST_CAUSES);
    }

    /** Returns whether only the statement failed. Best effort for drivers other than pgjdbc, and for proxies in front of it. */
    private static boolean isOfStatement(SQLException e) {
        return isOfData(e) || OF_STATEMENTS.contains(classOf(e.getSQLState())) || CANCELED.equals(e.getSQLState());
    }

    /** Returns whether a proxy or a terminating server may have reported the failure without knowing the transaction's outcome. */
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
     * Checks that COMMIT did not cancel its wait for a synchronous standby, for example because of a statement timeout. The server reports
     * that as a success with a warning, although a standby that takes over may lack the transaction.
     *
     * @param warnings the warnings of the statement that committed
     * @throws SQLException if it did: the outcome is unknown (SQL state 40003)
     */
    public static void requireReplicated(@Nullable SQLWarning warnings) throws SQLException {
        for (SQLWarning warning = warnings; warning != null; warning = warning.getNextWarning()) {
            if (warning.getClass().getName().equals(Pgjdbc.WARNING) && Pgjdbc.isOfReplication(warning)) {
                throw new SQLException(warning.getMessage(), COMPLETION_UNKNOWN, warning);
            }
        }
    }

    /** Separate class, so that applications with another driver do not load pgjdbc's classes. */
    private static final class Pgjdbc {

        static final String EXCEPTION = "org.postgresql.util.PSQLException";
        static final String WARNING = "org.postgresql.util.PSQLWarning";

        /** Server routine that sends the warning, whose SQL state and text vary. */
        private static final String ROUTINE = "SyncRepWaitForLSN";

        /** Returns whether the server sent the failure, as opposed to the driver. */
        static boolean isError(SQLException e) {
            return ((PSQLException) e).getServerErrorMessage() != null;
        }

        static boolean isOfTable(String table, SQLException e) {
            ServerErrorMessage message = ((PSQLException) e).getServerErrorMessage();
            return message != null && table.equals(message.getTable());
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
