package dev.fbf.db.node;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.node.NodeLease.Self;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The registry of nodes, in the table {@code fbf_node}: keeps two nodes that do not know of each other's operations from
 * applying operations of one scope.
 *
 * <p>Immutable and thread-safe; a connection serves one thread at a time. PostgreSQL only.
 */
final class NodeTable {

    /*
     * A row is a lease. Its node renews it every few seconds. A node that has not done so for LEASE admits no operation any
     * more, by its own clock, and counts as gone for the others. One of them may then take over; it begins to apply
     * operations when the retry window of the gone one has passed since.
     *
     * Registrations lock the table, so that of two nodes that begin at the same time the second finds the first. A renewal
     * does not: it succeeds only while the lease is fresh, and while no other node is in the way. Otherwise the node
     * registers again.
     *
     * Two nodes that use the ledger know each other's operations, and need not mind each other.
     *
     * A directory and its copies share one node name. Each directory lists the processes that have used it. A process that finds
     * the row of a living process which its own directory does not list uses a copy, and gives way.
     *
     * Times are those of the database's clock, and that can be set. So a row also has how far that clock was ahead of the clock of the
     * node's host when the row was written, in seconds. A reader compares with its own host. What the database's clock has gained
     * since does not count as time that has passed: all times of the row are later by that step. A clock that was set back, and hosts
     * whose clocks differ, make a row seem younger than it is, or from the future. That ends when a process has seen the row
     * unchanged for as long by its monotonic clock. Both only lengthen leases and waits. What neither shows is both clocks set
     * forward together, as on one machine.
     */

    /** A node that has not renewed its row for this long is gone. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    private static final String INTERVAL = "interval '" + LEASE.toMillis() + " milliseconds'";

    private static final String AHEAD = "extract(epoch FROM clock_timestamp() - CAST(? AS timestamptz))";

    /** The database's clock, and how far it is ahead of this host's, whose time is a parameter. */
    private static final String CLOCK = "(SELECT clock_timestamp() AS now, " + AHEAD + " AS ahead) AS clock";

    /** How far the database's clock was set forward since the row was written. */
    private static final String STEP = "make_interval(secs => greatest(0, clock.ahead - %s.ahead))";

    private static final String LOCK = "LOCK TABLE {fbf}.fbf_node IN SHARE ROW EXCLUSIVE MODE";

    private static final String NODES = """
            SELECT node, run, process, mode, applies, ended, started_at, seen_at,
                   extract(epoch FROM clock.now - seen_at - %s) AS age,
                   extract(epoch FROM seen_at - applied_at) AS idle, extract(epoch FROM retry_window) AS retry_window
            FROM {fbf}.fbf_node, %s WHERE scope = ?
            """.formatted(STEP.formatted("fbf_node"), CLOCK);

    // the last operation of a node that did not end properly may be as late as the end of its lease
    private static final String UPSERT =
            """
            INSERT INTO {fbf}.fbf_node AS known (scope, node, run, process, mode, retry_window, started_at, seen_at,
                                           applied_at, applies, ended, ahead)
            VALUES (?, ?, ?, ?, ?, ? * interval '1 millisecond', clock_timestamp(), clock_timestamp(),
                    CASE WHEN ? THEN clock_timestamp() END, ?, false, %1$s)
            ON CONFLICT (scope, node) DO UPDATE SET
              run = excluded.run, process = excluded.process, mode = excluded.mode,
              retry_window = excluded.retry_window, seen_at = excluded.seen_at, ahead = excluded.ahead,
              started_at = CASE WHEN known.run = excluded.run THEN known.started_at ELSE excluded.started_at END,
              applied_at = CASE WHEN excluded.applied_at IS NOT NULL THEN excluded.applied_at
                WHEN known.run <> excluded.run AND known.applies AND NOT known.ended
                THEN least(excluded.seen_at, known.seen_at + %3$s + %2$s)
                WHEN known.applied_at IS NOT NULL THEN least(excluded.seen_at, known.applied_at + %3$s) END,
              applies = excluded.applies, ended = false
            """.formatted(AHEAD, INTERVAL, "make_interval(secs => greatest(0, excluded.ahead - known.ahead))");

    private static final String GIVE_WAY = """
            UPDATE {fbf}.fbf_node AS mine SET applies = false,
              applied_at = CASE WHEN applies THEN least(greatest(seen_at, clock.now - %s), seen_at + %s) ELSE applied_at END
            FROM %s WHERE scope = ? AND node = ? AND run = ?
            """.formatted(STEP.formatted("mine"), INTERVAL, CLOCK);

    private static final String FORGET = """
            DELETE FROM {fbf}.fbf_node AS other USING %s
            WHERE scope = ? AND node <> ? AND seen_at + %s < clock.now - retry_window - interval '1 day'
            """.formatted(CLOCK, STEP.formatted("other"));

    private static final String FRESH = "%s.seen_at + " + STEP + " > clock.now - " + INTERVAL;

    private static final String WRITE =
            "seen_at = clock.now, ahead = clock.ahead, applied_at = CASE WHEN scope = ANY (?)"
                    + " THEN clock.now WHEN applied_at IS NOT NULL THEN least(clock.now, applied_at + "
                    + STEP.formatted("mine")
                    + ") END";

    private static final String RENEW =
            """
            UPDATE {fbf}.fbf_node AS mine SET %s FROM %s
            WHERE node = ? AND run = ? AND scope = ANY (?) AND applies AND NOT ended AND %s
              AND NOT EXISTS (
                SELECT 1 FROM {fbf}.fbf_node AS other
                WHERE other.scope = mine.scope AND other.node <> mine.node AND other.applies AND NOT other.ended
                  AND %s AND NOT (other.mode = 'ledger' AND mine.mode = 'ledger'))
            RETURNING scope
            """.formatted(WRITE, CLOCK, FRESH.formatted("mine", "mine"), FRESH.formatted("other", "other"));

    // a row from before the database's clock was set shows where the host's clock was beside the earlier one
    private static final String CLOCKS = """
            SELECT clock.now, other.ahead FROM %s LEFT JOIN (
              SELECT DISTINCT ON (node) ahead, seen_at FROM {fbf}.fbf_node WHERE run <> ? AND applies AND NOT ended
              ORDER BY node, seen_at DESC) AS other
            ON other.seen_at BETWEEN clock.now - %s AND clock.now
            """.formatted(CLOCK, INTERVAL);

    private static final String END = "UPDATE {fbf}.fbf_node AS mine SET ended = true, " + WRITE + " FROM " + CLOCK
            + " WHERE node = ? AND run = ?";

    private final FbfSchema schema;
    private final Self self;
    private final InstantSource hostClock;

    NodeTable(FbfSchema schema, Self self, InstantSource hostClock) {
        this.schema = schema;
        this.self = self;
        this.hostClock = hostClock;
    }

    /** As {@link NodeLease#check}. */
    void check(Connection connection) throws SQLException {
        schema.check(connection, "{fbf}.fbf_node", "SELECT INSERT UPDATE DELETE");
    }

    /**
     * Registers this process in a scope, or tells why it may not apply operations there. To be asked again when the time is over,
     * or after a few seconds.
     *
     * @param before what this process had in the scope until now
     * @param applied whether operations were applied since the row was last written
     * @param seen the rows of the scope that this process has seen
     */
    NodeStanding register(
            Connection connection, String scope, Duration retryWindow, Before before, boolean applied, SeenRows seen)
            throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(schema.sql(connection, LOCK));
            }
            NodeStanding standing = judge(read(connection, scope, seen), before);
            if (standing.right() == NodeStanding.Right.NONE) {
                giveWay(connection, scope);
            } else {
                write(connection, scope, retryWindow, applied, standing.right() == NodeStanding.Right.APPLY);
            }
            transaction.commit();
            return standing;
        }
    }

    /**
     * Renews this process's rows, and notes in which of the scopes it has applied operations since they were last written. Returns
     * the scopes in which it may go on; in the others it has to {@link #register} again.
     */
    Set<String> renew(Connection connection, Collection<String> scopes, Collection<String> applied)
            throws SQLException {
        Set<String> renewed = new HashSet<>();
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT);
                PreparedStatement statement = connection.prepareStatement(schema.sql(connection, RENEW))) {
            statement.setArray(1, array(connection, applied));
            statement.setObject(2, hostTime());
            statement.setObject(3, self.node());
            statement.setObject(4, self.run());
            statement.setArray(5, array(connection, scopes));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    renewed.add(rows.getString(1));
                }
            }
            transaction.commit();
        }
        return renewed;
    }

    /** Notes that this process applies no more operations, so that the next node need not wait for its lease to lapse. */
    void end(Connection connection, Collection<String> applied) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT);
                PreparedStatement statement = connection.prepareStatement(schema.sql(connection, END))) {
            statement.setArray(1, array(connection, applied));
            statement.setObject(2, hostTime());
            statement.setObject(3, self.node());
            statement.setObject(4, self.run());
            statement.executeUpdate();
            transaction.commit();
        }
    }

    /** Compares the clocks of the database and of the hosts of living nodes. */
    HostClocks clocks(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT);
                PreparedStatement statement = connection.prepareStatement(schema.sql(connection, CLOCKS))) {
            Instant sent = hostClock.instant();
            statement.setObject(1, sent.atOffset(ZoneOffset.UTC));
            statement.setObject(2, self.run());
            try (ResultSet rows = statement.executeQuery()) {
                Instant received = hostClock.instant();
                long nanos = System.nanoTime();
                Instant databaseTime = received;
                List<Duration> others = new ArrayList<>();
                while (rows.next()) {
                    databaseTime = rows.getObject(1, OffsetDateTime.class).toInstant();
                    double ahead = rows.getDouble(2);
                    if (!rows.wasNull()) {
                        others.add(Duration.ofNanos((long) (ahead * -1e9)));
                    }
                }
                transaction.commit();
                return HostClocks.of(sent, received, databaseTime, others, nanos);
            }
        }
    }

    /** What a process had when it registers. */
    enum Before {
        /** It has just been started. */
        NOTHING,
        /** A lease that is valid. */
        LEASE,
        /** A lease that others may have taken over since. */
        LAPSED
    }

    private boolean mayTakeFrom(Row namesake, Before before) {
        boolean isEarlier = self.earlierRuns().contains(namesake.other.run());
        return switch (before) {
            case NOTHING -> isEarlier || self.ledger(); // it has died; else this directory is a copy
            case LEASE -> !isEarlier; // that one's directory is a copy; else this one's, and it has not died
            case LAPSED -> false;
        };
    }

    private NodeStanding judge(List<Row> rows, Before before) {
        Row known = rows.stream()
                .filter(row -> row.other.id().equals(self.node()))
                .findFirst()
                .orElse(null);
        Row own = known != null && known.other.run().equals(self.run()) ? known : null;
        if (known != null && own == null && known.alive && !mayTakeFrom(known, before)) {
            return NodeStanding.none(known.other);
        }
        OtherNode beside = null;
        Row longest = null;
        for (Row row : rows) {
            if (row.other.id().equals(self.node()) || (self.ledger() && row.isLedger())) {
                continue; // what shares the ledger knows this node's operations
            }
            if (row.alive) {
                if (!precedes(own, row)) {
                    return NodeStanding.none(row.other);
                }
                beside = row.applies ? row.other : beside;
            } else if (row.rest.compareTo(longest == null ? Duration.ZERO : longest.rest) > 0) {
                longest = row;
            }
        }
        return longest == null ? NodeStanding.apply(beside) : NodeStanding.holdBack(longest.rest, longest.other);
    }

    /** Of two nodes that apply operations, and of two that wait for it, the one that began first goes on. */
    private static boolean precedes(@Nullable Row own, Row other) {
        if (own == null || (own.applies && !own.alive && other.applies)) {
            return false;
        }
        return own.applies == other.applies ? own.other.startedAt().isBefore(other.other.startedAt()) : own.applies;
    }

    private List<Row> read(Connection connection, String scope, SeenRows seen) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, NODES))) {
            statement.setObject(1, hostTime());
            statement.setString(2, scope);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    rows.add(Row.of(found, seen));
                }
            }
        }
        return rows;
    }

    private OffsetDateTime hostTime() {
        return hostClock.instant().atOffset(ZoneOffset.UTC);
    }

    private void write(Connection connection, String scope, Duration retryWindow, boolean applied, boolean applies)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, UPSERT))) {
            statement.setString(1, scope);
            statement.setObject(2, self.node());
            statement.setObject(3, self.run());
            statement.setString(4, self.process());
            statement.setString(5, self.ledger() ? Row.LEDGER : "filter");
            statement.setLong(6, retryWindow.toMillis());
            statement.setBoolean(7, applied);
            statement.setBoolean(8, applies);
            statement.setObject(9, hostTime());
            statement.executeUpdate();
        }
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, FORGET))) {
            statement.setObject(1, hostTime());
            statement.setString(2, scope);
            statement.setObject(3, self.node());
            statement.executeUpdate();
        }
    }

    private void giveWay(Connection connection, String scope) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, GIVE_WAY))) {
            statement.setObject(1, hostTime());
            statement.setString(2, scope);
            statement.setObject(3, self.node());
            statement.setObject(4, self.run());
            statement.executeUpdate();
        }
    }

    private static Array array(Connection connection, Collection<String> scopes) throws SQLException {
        return connection.createArrayOf("varchar", scopes.toArray());
    }

    /**
     * A row as it is read.
     *
     * @param rest for how long retries of its operations may still come; not positive if none may
     */
    private record Row(OtherNode other, boolean applies, boolean alive, Duration rest) {

        static final String LEDGER = "ledger";

        static Row of(ResultSet row, SeenRows seen) throws SQLException {
            OtherNode other = new OtherNode(
                    row.getObject("node", UUID.class),
                    row.getObject("run", UUID.class),
                    row.getString("process"),
                    row.getString("mode"),
                    row.getObject("started_at", OffsetDateTime.class).toInstant(),
                    row.getObject("seen_at", OffsetDateTime.class).toInstant());
            boolean applies = row.getBoolean("applies");
            boolean ended = row.getBoolean("ended");
            Duration age = seen.age(other, seconds(row, "age"));
            return new Row(
                    other,
                    applies,
                    !ended && age.compareTo(LEASE) < 0,
                    rest(seconds(row, "retry_window"), age, idle(row, applies && !ended)));
        }

        /** Time from its last operation until the row was written; negative if an operation may have followed. */
        private static @Nullable Duration idle(ResultSet row, boolean died) throws SQLException {
            if (died) {
                return LEASE.negated();
            }
            return row.getObject("idle") == null ? null : longer(seconds(row, "idle"), LEASE.negated());
        }

        private static Duration rest(Duration retryWindow, Duration age, @Nullable Duration idle) {
            return idle == null ? Duration.ZERO : retryWindow.minus(longer(age.plus(idle), Duration.ZERO));
        }

        private static Duration seconds(ResultSet row, String column) throws SQLException {
            return Duration.ofNanos((long) (row.getDouble(column) * 1e9));
        }

        private static Duration longer(Duration one, Duration other) {
            return one.compareTo(other) > 0 ? one : other;
        }

        boolean isLedger() {
            return other.mode().equals(LEDGER);
        }
    }
}
