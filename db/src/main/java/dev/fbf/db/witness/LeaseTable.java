package dev.fbf.db.witness;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.witness.Beat;
import dev.fbf.core.witness.Beat.Older;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.Standing;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.dialect.ModeTable;
import dev.fbf.db.witness.NodeLease.Self;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The registry of nodes in filter mode: {@code fbf_lease}, and the modes in {@code fbf_scope}. PostgreSQL only. */
final class LeaseTable {

    /*
     * fbf_lease has one row per scope in filter mode: the node that may apply its operations, or was the last one that might. Another node
     * takes the row when no retry of that node's operations can arrive any more; until then it waits, and leaves the row as it is. The
     * number of rows that a statement has written shows the result:
     *
     *   TAKE    writes the row if it has not changed since it was read (by run and time). Zero: another node was faster, and the row is
     *           read again.
     *   RENEW   renews the rows that this node holds, that have not lapsed, and that have the beat of the node's files. The node must
     *           register again in the scopes of other rows.
     *   END     notes that the lease has ended.
     *
     * A lease that has not ended lapses if it is not renewed for LEASE; by its own clock, the holder then admits no operation. Times of
     * rows are the database's.
     *
     * The beat of a row is raised by each registration and by each renewal (see Beat). A registration compares it before.
     *
     * A scope in ledger mode has no lease: the process that turns it there deletes the row, so a node that renews it must register again.
     * Only the first registration of a process turns the scope back; for the retry window from then, and a minute in which running
     * processes in ledger mode read the row again, operations are held back. The row's retry window is zero until then. A registration
     * holds the lock of the scope's row.
     */

    /** The time after which a lease expires without renewal. */
    static final Duration LEASE = Duration.ofSeconds(30);

    /** The order in which rows are written, so that nodes with the same scopes do not deadlock. */
    private static final Comparator<ScopeClaims> BY_NAME = Comparator.comparing(ScopeClaims::scope);

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    private static final String READ = """
            SELECT *, extract(epoch FROM clock_timestamp() - seen_at) AS age, extract(epoch FROM retry_window) AS retry_seconds
            FROM {fbf}.fbf_lease WHERE scope = ?
            """;

    private static final String TAKE = """
            INSERT INTO {fbf}.fbf_lease AS lease (scope, node, run, process, ended, beat, retry_window, seen_at)
            VALUES (?, ?, ?, ?, false, ?, ? * interval '1 microsecond', clock_timestamp())
            ON CONFLICT (scope) DO UPDATE SET (node, run, process, ended, beat, retry_window, seen_at)
              = (excluded.node, excluded.run, excluded.process, false, excluded.beat,
                 greatest(excluded.retry_window, CASE WHEN lease.node = excluded.node THEN lease.retry_window END), excluded.seen_at)
            WHERE lease.run = ? AND lease.seen_at = ?
            """;

    private static final String RENEW = """
            UPDATE {fbf}.fbf_lease SET beat = ?, ended = false, seen_at = clock_timestamp()
            WHERE scope = ? AND run = ? AND beat IN (?, ?) AND clock_timestamp() - seen_at < interval '%d seconds'
            """.formatted(LEASE.toSeconds());

    private static final String END =
            "UPDATE {fbf}.fbf_lease SET ended = true, seen_at = clock_timestamp() WHERE scope = ? AND run = ?";

    private static final String REMEDY =
            " To avoid this wait, keep the directory (fbf.directory) when a process is replaced, or"
                    + " leave the scope in ledger mode.";
    private static final Standing TURNED = Standing.refused(
            "Another process has turned the scope to ledger mode. Stop this process; or restart it, to turn the scope"
                    + " back to filter mode (fbf.mode).",
            null);
    private static final Standing ELSEWHERE = Standing.refused(
            "This process applies them in another database. In filter mode a scope belongs to one database: name"
                    + " another scope.",
            null);

    /**
     * The lease of a scope.
     *
     * @param node the holder
     * @param run the id of the holder's process, new with each start
     * @param process the holder's host, process number and directory
     * @param ended whether the holder has shut down cleanly
     * @param retryWindow the time after the row's last write in which retries of the holder's operations can arrive
     * @param age the time since the row's last write
     */
    private record Row(
            UUID node,
            UUID run,
            String process,
            boolean ended,
            long beat,
            Duration retryWindow,
            OffsetDateTime seenAt,
            Duration age) {

        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getObject("node", UUID.class),
                    row.getObject("run", UUID.class),
                    row.getString("process"),
                    row.getBoolean("ended"),
                    row.getLong("beat"),
                    Sql.seconds(row, "retry_seconds"),
                    row.getObject("seen_at", OffsetDateTime.class),
                    Sql.seconds(row, "age"));
        }

        /**
         * Derives a node's standing in the scope. A holder that seems alive gives way to the next process of its own node: its beat is in
         * the node's files, and the directory, whose lock this process has, is not a copy.
         *
         * @param isKnown whether the node's files have this row's beat
         */
        Standing standing(Self self, boolean isKnown) {
            boolean isSame = node.equals(self.node());
            Duration untilLapse = ended ? Duration.ZERO : LEASE.minus(age);
            boolean isAlive = untilLapse.compareTo(Duration.ZERO) > 0 && !run.equals(self.run());
            if (isAlive && !(isSame && isKnown && !self.isOnCopy())) {
                return Standing.refused("Another process applies them: " + this + ".", toString());
            }
            // the last operation may be as late as the lease's end
            Duration rest = retryWindow.minus(age).plus(ended ? Duration.ZERO : LEASE);
            return isSame || rest.isNegative() || rest.isZero()
                    ? Standing.ADMITTED
                    : Standing.heldBack(rest, toString(), REMEDY);
        }

        @Override
        public String toString() {
            return "node " + node + " (" + process + ", last seen " + seenAt.toInstant() + ")";
        }
    }

    private final FbfSchema schema;
    private final Self self;

    /** Creates the registry as used by one process. */
    LeaseTable(FbfSchema schema, Self self) {
        this.schema = schema;
        this.self = self;
    }

    /** See {@link NodeLease#check}. */
    void check(Connection connection) throws SQLException {
        for (String table : List.of("{fbf}.fbf_scope", "{fbf}.fbf_lease")) {
            schema.check(connection, table, "SELECT INSERT UPDATE");
        }
    }

    /**
     * Takes the lease of a scope, unless another process holds it, retries of another node's operations can arrive, or the scope is in ledger
     * mode and this is not the first registration.
     *
     * @param isStart whether this is the process's first registration: only this one turns a scope in ledger mode to filter mode
     * @return this process's standing
     */
    Standing register(Connection connection, ScopeClaims scope, boolean isStart) throws SQLException {
        ModeTable modes = requireNonNull(schema.modes(connection));
        Beat files = scope.beat();
        Set<Older> committed = Set.of();
        for (; ; ) {
            try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
                ModeTable.Row mode = modes.enterFilter(connection, scope.scope(), scope.retryWindow());
                boolean isTurned = mode.isLedger() && isStart;
                if (isTurned) {
                    mode = modes.turnToFilter(connection, scope.scope(), scope.retryWindow());
                }
                if (mode.isLedger()) {
                    return TURNED;
                }
                Row row = Sql.find(connection, schema.sql(connection, READ), Row::of, scope.scope());
                Standing standing = row == null
                        ? Standing.ADMITTED
                        : row.standing(self, files.expected().contains(row.beat));
                boolean mayTake = standing.reason() == null;
                boolean isHeldBack = mode.heldFor().compareTo(Duration.ZERO) > 0;
                if (mode.heldFor().compareTo(standing.heldBackFor()) > 0) {
                    standing = Standing.heldBack(mode.heldFor(), "processes in ledger mode", REMEDY);
                }
                if (!mayTake) {
                    transaction.commit();
                    return standing;
                }
                long beat = row == null ? Beat.NONE : row.beat;
                Set<Older> older =
                        isTurned ? Set.of() : files.compare(beat, row != null && row.node.equals(self.node()));
                if (older.contains(Older.DATABASE) && files.isOfAnother(this)) {
                    return ELSEWHERE;
                }
                if (!older.equals(committed)) {
                    // an old primary without its standby also lacks commits, but cannot commit
                    transaction.commit();
                    committed = older;
                    continue;
                }
                files.note(older);
                long next = files.intend(beat);
                Duration window = isHeldBack ? Duration.ZERO : scope.retryWindow();
                if (take(connection, scope.scope(), next, window, row)) {
                    transaction.commit();
                    files.confirm(next, this);
                    return standing;
                }
            }
        }
    }

    /** Writes the row of the lease; returns false if the row has changed since it was read. */
    private boolean take(Connection connection, String scope, long beat, Duration window, @Nullable Row row)
            throws SQLException {
        UUID run = row == null ? null : row.run;
        OffsetDateTime seenAt = row == null ? null : row.seenAt;
        return update(
                        connection,
                        TAKE,
                        scope,
                        self.node(),
                        self.run(),
                        self.process(),
                        beat,
                        Sql.micros(window),
                        run,
                        seenAt)
                == 1;
    }

    /**
     * Renews leases that this process holds. Returns the scopes in which it may continue; in the others it must {@link #register} again.
     */
    Set<String> renew(Connection connection, Collection<ScopeClaims> scopes) throws SQLException {
        Map<String, Runnable> renewed = new HashMap<>();
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            for (ScopeClaims scope : scopes.stream().sorted(BY_NAME).toList()) {
                Beat files = scope.beat();
                Set<Long> expected = files.expected();
                if (expected.isEmpty()) {
                    continue;
                }
                long lowest = Collections.min(expected);
                long beat = files.intend(lowest);
                long highest = Collections.max(expected);
                if (update(connection, RENEW, beat, scope.scope(), self.run(), lowest, highest) == 1) {
                    renewed.put(scope.scope(), () -> files.confirm(beat, this));
                }
            }
            transaction.commit();
        }
        renewed.values().forEach(Runnable::run);
        return renewed.keySet();
    }

    /** Records that this process applies no more operations, so that the next node does not wait for its leases to lapse. */
    void end(Connection connection, Collection<String> scopes) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            for (String scope : new TreeSet<>(scopes)) {
                update(connection, END, scope, self.run());
            }
            transaction.commit();
        }
    }

    private int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        return Sql.update(connection, schema.sql(connection, sql), parameters);
    }
}
