package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Transaction that fbf begins on a connection without an open transaction. Closing it without {@link #commit()} rolls back. Closing also
 * restores the connection's autocommit.
 */
public final class OwnTransaction implements AutoCloseable {

    private final Connection connection;
    private final boolean autoCommit;
    private boolean open = true;

    private OwnTransaction(Connection connection, boolean autoCommit) {
        this.connection = connection;
        this.autoCommit = autoCommit;
    }

    /** Begins a transaction with the connection's defaults. */
    public static OwnTransaction begin(Connection connection) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        if (autoCommit) {
            connection.setAutoCommit(false);
        }
        return new OwnTransaction(connection, autoCommit);
    }

    /**
     * Begins a writable transaction with READ COMMITTED isolation. If the connection waits for a silent server for a limited time, a
     * statement waits for a lock for half of it, so that the server reports the lock before the driver takes it for a broken network.
     */
    public static OwnTransaction beginReadCommitted(Connection connection) throws SQLException {
        int silence = connection.getNetworkTimeout();
        return beginWith(connection, silence == 0 ? "" : "; SET LOCAL lock_timeout = " + Math.max(1, silence / 2));
    }

    /**
     * Begins a writable transaction with READ COMMITTED isolation, in which each statement waits for a lock at most for the timeout.
     */
    public static OwnTransaction beginReadCommitted(Connection connection, Duration timeout) throws SQLException {
        // zero would mean no timeout
        return beginWith(connection, "; SET LOCAL lock_timeout = " + Math.max(1, timeout.toMillis()));
    }

    /** Executes one query, without the statements of a transaction where the connection is in autocommit. */
    public static <T> T read(Connection connection, Sql.Work<T> query) throws SQLException {
        if (connection.getAutoCommit()) {
            return query.get();
        }
        try (OwnTransaction transaction = begin(connection)) {
            T read = query.get();
            transaction.commit();
            return read;
        }
    }

    private static OwnTransaction beginWith(Connection connection, String settings) throws SQLException {
        OwnTransaction transaction = begin(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE" + settings);
            return transaction;
        } catch (SQLException | RuntimeException e) {
            try (transaction) {
                throw e;
            }
        }
    }

    public void commit() throws SQLException {
        connection.commit();
        open = false;
        SqlFailures.requireReplicated(connection.getWarnings());
    }

    @Override
    public void close() throws SQLException {
        if (open) {
            // if this fails the connection is lost; autocommit must stay off then, because enabling it would commit
            connection.rollback();
        }
        if (autoCommit) {
            connection.setAutoCommit(true);
        }
    }
}
