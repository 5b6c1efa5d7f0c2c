package dev.fbf.db;

import dev.fbf.db.NodeLease.Self;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
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
     * Two nodes are compatible, and need not mind each other, if both use the ledger; or if both are routed: retries come
     * back to the node that applied the operation. A routed node that is new minds those that are gone, for it may get the
     * retries of their operations.
     *
     * A directory and its copies share one node name. Each directory lists the processes that have used it. A process that finds
     * the row of a living process which its own directory does not list uses a copy, and gives way.
     *
     * All times are the database's.
     */

    /** A node that has not renewed its row for this long is gone. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    private static final String FRESH =
            "seen_at > clock_timestamp() - interval '" + LEASE.toMillis() + " milliseconds'";

    private static final String LOCK = "LOCK TABLE {fbf}.fbf_node IN SHARE ROW EXCLUSIVE MODE";

    // the last operation of a node that did not end properly may be as late as the end of its lease
    private static final String NODES = """
            SELECT node, run, process, mode, routed, applies, started_at, seen_at, NOT ended AND %s AS alive,
                   extract(epoch FROM retry_window - (clock_timestamp()
                     - CASE WHEN ended OR NOT applies THEN applied_at ELSE least(clock_timestamp(), seen_at + interval '%d milliseconds') END)) AS rest
            FROM {fbf}.fbf_node WHERE scope = ?
            """.formatted(FRESH, LEASE.toMillis());

    private static final String UPSERT = """
            INSERT INTO {fbf}.fbf_node AS known (scope, node, run, process, mode, routed, retry_window, started_at, seen_at,
                                           applied_at, applies, ended)
            VALUES (?, ?, ?, ?, ?, ?, ? * interval '1 millisecond', clock_timestamp(), clock_timestamp(),
                    CASE WHEN ? THEN clock_timestamp() END, ?, false)
            ON CONFLICT (scope, node) DO UPDATE SET
              run = excluded.run, process = excluded.process, mode = excluded.mode, routed = excluded.routed,
              retry_window = excluded.retry_window, seen_at = excluded.seen_at,
              started_at = CASE WHEN known.run = excluded.run THEN known.started_at ELSE excluded.started_at END,
              applied_at = coalesce(excluded.applied_at,
                CASE WHEN known.run <> excluded.run AND known.applies AND NOT known.ended
                     THEN least(clock_timestamp(), known.seen_at + interval '%d milliseconds') ELSE known.applied_at END),
              applies = excluded.applies, ended = false
            """.formatted(LEASE.toMillis());

    private static final String GIVE_WAY =
            "UPDATE {fbf}.fbf_node SET applies = false, applied_at = CASE WHEN applies THEN least(clock_timestamp(), seen_at + interval '"
                    + LEASE.toMillis() + " milliseconds') ELSE applied_at END WHERE scope = ? AND node = ? AND run = ?";

    private static final String FORGET = "DELETE FROM {fbf}.fbf_node WHERE scope = ? AND node <> ?"
            + " AND seen_at < clock_timestamp() - retry_window - interval '1 day'";

    private static final String RENEW = """
            WITH mine AS (
              UPDATE {fbf}.fbf_node SET seen_at = clock_timestamp(),
                applied_at = CASE WHEN scope = ANY (?) THEN clock_timestamp() ELSE applied_at END
              WHERE node = ? AND run = ? AND scope = ANY (?) AND applies AND NOT ended AND %s
              RETURNING scope, node, mode, routed)
            SELECT scope FROM mine WHERE NOT EXISTS (
              SELECT 1 FROM {fbf}.fbf_node AS other
              WHERE other.scope = mine.scope AND other.node <> mine.node AND other.applies AND NOT other.ended
                AND other.%s AND NOT (other.mode = 'ledger' AND mine.mode = 'ledger')
                AND NOT (other.routed AND mine.routed AND other.mode = mine.mode))
            """.formatted(FRESH, FRESH);

    private static final String END = "UPDATE {fbf}.fbf_node SET ended = true, seen_at = clock_timestamp(),"
            + " applied_at = CASE WHEN scope = ANY (?) THEN clock_timestamp() ELSE applied_at END"
            + " WHERE node = ? AND run = ?";

    private final FbfSchema schema;
    private final Self self;

    NodeTable(FbfSchema schema, Self self) {
        this.schema = schema;
        this.self = self;
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
     */
    NodeStanding register(Connection connection, String scope, Duration retryWindow, Before before, boolean applied)
            throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(schema.sql(connection, LOCK));
            }
            NodeStanding standing = judge(read(connection, scope), before);
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
            statement.setObject(2, self.node());
            statement.setObject(3, self.run());
            statement.setArray(4, array(connection, scopes));
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
            statement.setObject(2, self.node());
            statement.setObject(3, self.run());
            statement.executeUpdate();
            transaction.commit();
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
        boolean goesOn = own != null && own.applies && own.alive;
        OtherNode beside = null;
        Row longest = null;
        for (Row row : rows) {
            if (row.other.id().equals(self.node())) {
                continue;
            }
            boolean isCompatible = isCompatible(row);
            if (row.alive && !isCompatible) {
                if (!precedes(own, row)) {
                    return NodeStanding.none(row.other);
                }
                beside = row.applies ? row.other : beside;
            }
            if (!row.alive
                    && !(isCompatible && (self.ledger() || goesOn))
                    && row.rest.compareTo(longest == null ? Duration.ZERO : longest.rest) > 0) {
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

    private boolean isCompatible(Row row) {
        return self.ledger() == row.isLedger() && (self.ledger() || (self.routed() && row.routed));
    }

    private List<Row> read(Connection connection, String scope) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, NODES))) {
            statement.setString(1, scope);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    rows.add(Row.of(found));
                }
            }
        }
        return rows;
    }

    private void write(Connection connection, String scope, Duration retryWindow, boolean applied, boolean applies)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, UPSERT))) {
            statement.setString(1, scope);
            statement.setObject(2, self.node());
            statement.setObject(3, self.run());
            statement.setString(4, self.process());
            statement.setString(5, self.ledger() ? Row.LEDGER : "filter");
            statement.setBoolean(6, self.routed());
            statement.setLong(7, retryWindow.toMillis());
            statement.setBoolean(8, applied);
            statement.setBoolean(9, applies);
            statement.executeUpdate();
        }
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, FORGET))) {
            statement.setString(1, scope);
            statement.setObject(2, self.node());
            statement.executeUpdate();
        }
    }

    private void giveWay(Connection connection, String scope) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, GIVE_WAY))) {
            statement.setString(1, scope);
            statement.setObject(2, self.node());
            statement.setObject(3, self.run());
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
    private record Row(OtherNode other, boolean routed, boolean applies, boolean alive, Duration rest) {

        static final String LEDGER = "ledger";

        static Row of(ResultSet row) throws SQLException {
            OtherNode other = new OtherNode(
                    row.getObject("node", UUID.class),
                    row.getObject("run", UUID.class),
                    row.getString("process"),
                    row.getString("mode"),
                    row.getObject("started_at", OffsetDateTime.class).toInstant(),
                    row.getObject("seen_at", OffsetDateTime.class).toInstant());
            return new Row(
                    other,
                    row.getBoolean("routed"),
                    row.getBoolean("applies"),
                    row.getBoolean("alive"),
                    Duration.ofMillis((long) Math.ceil(row.getDouble("rest") * 1000)));
        }

        boolean isLedger() {
            return other.mode().equals(LEDGER);
        }
    }
}
