package dev.fbf.db;

import dev.fbf.db.LockedCounters.Wait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The statement of a group: a transaction of its own, whose isolation does not depend on the connection's default. */
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

    private static final int FIRST = 1;

    /** After this time the server is told to cancel it. */
    private static final int SECONDS = 10;

    private final PreparedStatement statement;
    private final int statementsBefore;
    private final int offset;

    private GroupStatement(PreparedStatement statement, int statementsBefore, int offset) throws SQLException {
        this.statement = statement;
        this.statementsBefore = statementsBefore;
        this.offset = offset;
        statement.setQueryTimeout(SECONDS);
    }

    /** The statement {@code sql}, which adds to {@code counters} and waits for no row; but first it waits for one, if it is told to. */
    static GroupStatement skipping(Connection connection, String sql, CounterTable counters, @Nullable Wait wait)
            throws SQLException {
        if (wait == null) {
            return new GroupStatement(connection.prepareStatement(READ_COMMITTED + sql), FIRST, 0);
        }
        String waiting = BOUNDED + counters.lockingOne() + "; ";
        PreparedStatement statement = connection.prepareStatement(READ_COMMITTED + waiting + sql);
        statement.setString(1, millis(wait.timeout()));
        statement.setString(2, wait.counter());
        return new GroupStatement(statement, FIRST + 2, 2);
    }

    /** The statement {@code sql}, which waits for each row, and fails if it waits for one for longer than this. */
    static GroupStatement waiting(Connection connection, String sql, Duration timeout) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(READ_COMMITTED + BOUNDED + sql);
        statement.setString(1, millis(timeout));
        return new GroupStatement(statement, FIRST + 1, 1);
    }

    /** Zero would mean to wait for ever. */
    private static String millis(Duration timeout) {
        return Math.max(1, timeout.toMillis()) + "ms";
    }

    PreparedStatement statement() {
        return statement;
    }

    /** How many parameters there are before those of its SQL. */
    int offset() {
        return offset;
    }

    /** Executes it; its transaction has committed when this returns the rows. */
    ResultSet execute() throws SQLException {
        statement.execute();
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
