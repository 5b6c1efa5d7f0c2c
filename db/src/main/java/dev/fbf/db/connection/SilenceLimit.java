package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Limit of the time that a connection waits for a response of a silent server, after which the connection is abandoned. */
public final class SilenceLimit {

    private static final String WITHOUT_LIMIT = "HSQL Database Engine";

    private final Connection connection;
    private final int before;

    private SilenceLimit(Connection connection, int before) {
        this.connection = connection;
        this.before = before;
    }

    /**
     * Sets the limit, unless the connection has a shorter one.
     *
     * @param longest the limit, at most 24 days; less than 1 ms counts as 1 ms
     */
    public static SilenceLimit begin(Connection connection, Duration longest) throws SQLException {
        int millis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, longest.toMillis()));
        int before = connection.getNetworkTimeout();
        if (before == 0 || before > millis) {
            set(connection, millis);
        }
        return new SilenceLimit(connection, before);
    }

    /** Work on a connection without a result. */
    public interface Work {
        void with(Connection connection) throws SQLException;
    }

    /** Runs work with a new connection, which is abandoned if the server is silent for longer than the limit. */
    public static void inConnection(DataSource dataSource, Duration longest, Work work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            SilenceLimit limit = begin(connection, longest);
            try {
                work.with(connection);
            } finally {
                limit.end();
            }
        }
    }

    /** Restores the connection's own limit. */
    public void end() throws SQLException {
        if (!connection.isClosed() && connection.getNetworkTimeout() != before) {
            set(connection, before);
        }
    }

    /** Sets the limit, except for HSQLDB: its driver has none, and a pool discards a connection that reports that. */
    private static void set(Connection connection, int millis) throws SQLException {
        if (!connection.getMetaData().getDatabaseProductName().equals(WITHOUT_LIMIT)) {
            connection.setNetworkTimeout(Runnable::run, millis);
        }
    }
}
