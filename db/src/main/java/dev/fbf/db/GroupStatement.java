package dev.fbf.db;

import dev.fbf.db.LockedCounters.Wait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The statement of a group: a transaction of its own, whose isolation does not depend on the connection's default. It waits
 * for no row, but for one if it is told to.
 */
final class GroupStatement implements AutoCloseable {

    /*
     * The driver sends all statements at once, and the server takes what arrives at once in autocommit as one
     * transaction. The settings end with it: the next transaction has the defaults again.
     *
     * The row that is waited for is locked by a statement of its own, when nothing else is locked. The next statement
     * sees what was committed meanwhile.
     */
    private static final String READ_COMMITTED = "SET transaction_isolation = 'read committed'; ";

    private static final String BOUNDED = "SELECT set_config('lock_timeout', ?, true); ";

    /** After this time the server is told to cancel it. */
    private static final int SECONDS = 10;

    private final PreparedStatement statement;
    private final boolean waits;

    private GroupStatement(PreparedStatement statement, boolean waits) {
        this.statement = statement;
        this.waits = waits;
    }

    /** The statement {@code sql}, which adds to {@code counters}. */
    static GroupStatement prepare(Connection connection, String sql, CounterTable counters, @Nullable Wait wait)
            throws SQLException {
        String waiting = wait == null ? "" : BOUNDED + counters.lockingOne() + "; ";
        PreparedStatement statement = connection.prepareStatement(READ_COMMITTED + waiting + sql);
        limit(statement);
        if (wait != null) {
            statement.setString(1, Math.max(1, wait.timeout().toMillis()) + "ms");
            statement.setString(2, wait.counter());
        }
        return new GroupStatement(statement, wait != null);
    }

    /**
     * Limits the time that a statement takes; the table may have triggers. Has no effect if the connection is given up before that
     * anyway: the driver's timer wakes a thread for each statement.
     */
    static void limit(PreparedStatement statement) throws SQLException {
        int silence = statement.getConnection().getNetworkTimeout();
        if (silence == 0 || silence > TimeUnit.SECONDS.toMillis(SECONDS)) {
            statement.setQueryTimeout(SECONDS);
        }
    }

    PreparedStatement statement() {
        return statement;
    }

    /** How many parameters there are before those of its SQL. */
    int offset() {
        return waits ? 2 : 0;
    }

    /** Executes it; its transaction has committed when this returns the rows. */
    ResultSet execute() throws SQLException {
        statement.execute();
        SqlFailures.requireReplicated(statement.getWarnings());
        int statementsBefore = waits ? 3 : 1;
        for (int i = 0; i < statementsBefore; i++) {
            statement.getMoreResults();
        }
        return statement.getResultSet();
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }
}
