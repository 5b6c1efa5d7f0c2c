package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Has a connection given up if the server is silent for too long. */
public final class SilenceLimit {

    private final Connection connection;
    private final int before;

    private SilenceLimit(Connection connection, int before) {
        this.connection = connection;
        this.before = before;
    }

    /** At least a millisecond, and at most 24 days; a shorter limit of the connection's own stays. */
    public static SilenceLimit begin(Connection connection, Duration longest) throws SQLException {
        int millis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, longest.toMillis()));
        int before = connection.getNetworkTimeout();
        if (before == 0 || before > millis) {
            connection.setNetworkTimeout(Runnable::run, millis);
        }
        return new SilenceLimit(connection, before);
    }

    /** In place of the connection's own, even if that is shorter. */
    static SilenceLimit replace(Connection connection, Duration longest) throws SQLException {
        int before = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, (int) longest.toMillis());
        return new SilenceLimit(connection, before);
    }

    /** Work on a connection without a result. */
    public interface Work {
        void with(Connection connection) throws SQLException;
    }

    /** Work on a connection that returns a result. */
    public interface Query<T> {
        T of(Connection connection) throws SQLException;
    }

    /** Works with a connection of its own, which is given up if the server is silent for longer. */
    public static void inConnection(DataSource dataSource, Duration longest, Work work) throws SQLException {
        find(dataSource, longest, connection -> {
            work.with(connection);
            return true;
        });
    }

    /** As {@link #inConnection}, with a result. */
    public static <T> T find(DataSource dataSource, Duration longest, Query<T> query) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            SilenceLimit limit = replace(connection, longest);
            try {
                return query.of(connection);
            } finally {
                limit.end();
            }
        }
    }

    /** Gives the connection its own limit back. */
    public void end() throws SQLException {
        if (!connection.isClosed() && connection.getNetworkTimeout() != before) {
            connection.setNetworkTimeout(Runnable::run, before);
        }
    }
}
