package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Knowledge that the synchronous standbys of a server have all commits that the server shows. Thread-safe. */
final class Trust {

    /*
     * After a crash a server shows commits that its synchronous standby does not have, and the standby may have taken over meanwhile: such
     * a row must not be reported as an applied operation. A COMMIT that writes waits until the standby has all earlier commits. So one
     * such COMMIT after the crash proves all rows that the server has recovered.
     *
     * The crash of one backend restarts all of them, and leaves the server's start time as it is. So a backend shows by its own start that
     * no crash has happened since: the proof covers each backend that began before it and still responds. Another backend, such as a
     * replaced connection of the pool, needs a proof of its own, which runs before the answer. Both times are the server's.
     */

    /** SQL of two columns: the start of the server and of the backend; null if no synchronous standby is configured. */
    static final String COLUMNS = """
            CASE WHEN current_setting('synchronous_standby_names') <> '' THEN pg_postmaster_start_time() END,
            CASE WHEN current_setting('synchronous_standby_names') <> ''
              THEN (SELECT backend_start FROM pg_stat_get_activity(pg_backend_pid())) END""";

    /** The same, without the backend's start: its subquery costs a third of a look-up's time, even if it is not executed. */
    static final String SERVER = """
            CASE WHEN current_setting('synchronous_standby_names') <> '' THEN pg_postmaster_start_time() END,
            CAST(NULL AS timestamptz)""";

    /** Writes to the log without leaving a row, so that COMMIT waits for the standbys. */
    private static final String WRITE =
            "SELECT pg_postmaster_start_time(), clock_timestamp(), pg_logical_emit_message(true, 'fbf', '')";

    /**
     * A server process.
     *
     * @param server the start of its server
     * @param start its own start; null if it was not asked for
     */
    record Backend(OffsetDateTime server, @Nullable OffsetDateTime start) {

        /** Reads {@link #COLUMNS} or {@link #SERVER}; null if no synchronous standby is configured. */
        static @Nullable Backend of(ResultSet row, int column) throws SQLException {
            OffsetDateTime server = row.getObject(column, OffsetDateTime.class);
            return server == null ? null : new Backend(server, row.getObject(column + 1, OffsetDateTime.class));
        }
    }

    /** A COMMIT that the standbys have confirmed: the start of its server, and its time. */
    record Proof(OffsetDateTime server, OffsetDateTime at) {}

    /** The latest proof; null before the first. */
    private volatile @Nullable Proof proof;

    /** Returns whether look-ups must ask for the backend's start, because synchronous standbys have been configured. */
    boolean isNeeded() {
        return proof != null;
    }

    /** Returns whether the rows that a backend shows are on its standbys. */
    boolean covers(@Nullable Backend backend) {
        Proof known = proof;
        return backend == null
                || (known != null
                        && backend.start != null
                        && known.server.isEqual(backend.server)
                        && !backend.start.isAfter(known.at));
    }

    /** Writes in the caller's transaction, so that its COMMIT waits for the standbys. */
    static Proof write(Connection connection) throws SQLException {
        return Sql.get(
                connection,
                WRITE,
                row -> new Proof(row.getObject(1, OffsetDateTime.class), row.getObject(2, OffsetDateTime.class)));
    }

    /** Waits for the standbys in a transaction of its own; only the connection's timeout limits the wait. */
    void prove(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            Proof by = write(connection);
            transaction.commit();
            proof = by;
        }
    }
}
