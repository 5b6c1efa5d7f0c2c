package dev.fbf.db.witness;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.witness.Beat;
import dev.fbf.core.witness.Beat.Older;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.witness.NodeLease.Self;
import dev.fbf.db.witness.Standing.State;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The registry of nodes in filter mode: {@code fbf_lease}, and the modes in {@code fbf_scope}. Not thread-safe. PostgreSQL only. */
final class LeaseTable {

    /*
     * fbf_lease has one row per scope in filter mode; one node holds it. The number of rows that a statement has written shows the result:
     *
     *   TAKE    writes the row if it has not changed since it was read (by run and time). One row: this node's standing is as LeaseRow
     *           judged it. Zero: another node was faster, and the row is read again.
     *   RENEW   renews the rows that this node holds, that have not lapsed, and that have the beat of the node's files. The node must
     *           register again in the scopes of other rows.
     *   END     notes that the lease has ended.
     *
     * A lease that has not ended lapses if it is not renewed for LEASE; by its own clock, the holder then admits no operation.
     *
     * retries_for is the time after seen_at in which retries can arrive. They are retries of the operations of the node in the column
     * "knows". A node that may apply operations counts as having just applied one; another one subtracts the time since the last write. The
     * last operations of a killed node may be as late as the end of its lease.
     *
     * The beat of a row is that of the node in "knows": it is raised by each registration of a node that may apply operations, and by each
     * renewal (see Beat). A registration compares it before.
     *
     * A scope in ledger mode has no lease: the process that turns it there deletes the row, so a node that renews it must register again.
     * Only the first registration of a process turns the scope back; for the retry window from then, and a minute in which running
     * processes in ledger mode read the row again, operations are held back. A registration holds the lock of the scope's row.
     *
     * Clocks can be set. Each row records the lead of the database's clock over the writer's host. An increase of that lead since then does
     * not count as elapsed time. A clock that was set back, or a difference between hosts, makes a row seem younger than it is. But a row
     * is at least as old as this process has seen it unchanged, by its monotonic clock. Both effects only lengthen leases and waits.
     * Two clocks that are set forward together, as on one machine, are not detected.
     */

    /** The time after which a lease expires without renewal. */
    static final Duration LEASE = Duration.ofSeconds(30);

    /** The order in which rows are written, so that nodes with the same scopes do not deadlock. */
    private static final Comparator<ScopeClaims> BY_NAME = Comparator.comparing(ScopeClaims::scope);

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    private static final String LAPSE = "interval '" + LEASE.toMillis() + " milliseconds'";

    /** The database's clock, and its lead over this host's clock, whose time is a parameter. */
    private static final String CLOCK = "(SELECT clock_timestamp() AS now,"
            + " extract(epoch FROM clock_timestamp() - CAST(? AS timestamptz)) AS ahead) AS clock";

    /** The time since the lease was written, without an increase of the database's lead since then. */
    private static final String AGE =
            "(clock.now - lease.seen_at - make_interval(secs => greatest(0, clock.ahead - lease.ahead)))";

    private static final String SCOPE = "mode, extract(epoch FROM held_until - clock_timestamp()) AS held_seconds";

    private static final String ENTER = """
            INSERT INTO {fbf}.fbf_scope AS known (scope, mode, retry_window) VALUES (?, 'filter', ? * interval '1 microsecond')
            ON CONFLICT (scope) DO UPDATE SET mode = known.mode RETURNING %s
            """.formatted(SCOPE);

    private static final String TURN = """
            UPDATE {fbf}.fbf_scope SET mode = 'filter',
              held_until = clock_timestamp() + greatest(retry_window, ? * interval '1 microsecond') + interval '1 minute'
            WHERE scope = ? RETURNING %s
            """.formatted(SCOPE);

    private static final String READ = """
            SELECT lease.*, extract(epoch FROM %s) AS age,
                   extract(epoch FROM retries_for) AS retry_seconds
            FROM {fbf}.fbf_lease AS lease, %s WHERE scope = ?
            """.formatted(AGE, CLOCK);

    private static final String TAKE = """
            INSERT INTO {fbf}.fbf_lease AS lease
              (scope, node, run, process, applies, ended, knows, known_by, beat, retry_window, retries_for, seen_at, ahead)
            SELECT ?, ?, ?, ?, ?, false, ?, ?, ?, ? * interval '1 microsecond', ? * interval '1 microsecond', clock.now, clock.ahead FROM %s
            ON CONFLICT (scope) DO UPDATE SET
              (node, run, process, applies, ended, knows, known_by, beat, retry_window, retries_for, seen_at, ahead)
              = (excluded.node, excluded.run, excluded.process, excluded.applies, excluded.ended, excluded.knows, excluded.known_by,
                 excluded.beat, excluded.retry_window, excluded.retries_for, excluded.seen_at, excluded.ahead)
            WHERE lease.run = ? AND lease.seen_at = ?
            """.formatted(CLOCK);

    private static final String NOTE = """
            UPDATE {fbf}.fbf_lease AS lease SET %s, seen_at = clock.now, ahead = clock.ahead,
              retries_for = greatest(CASE WHEN applies THEN retry_window ELSE interval '0' END,
                                     retries_for - greatest(%s, interval '0'))
            FROM %s WHERE scope = ? AND run = ?
            """;

    private static final String RENEW = NOTE.formatted("ended = false, beat = ?", AGE, CLOCK)
            + " AND beat IN (?, ?) AND applies AND " + AGE + " < " + LAPSE;

    private static final String END = NOTE.formatted("ended = true", AGE, CLOCK);

    /**
     * The mode of a scope.
     *
     * @param isTurned whether this transaction has turned it from ledger mode
     * @param heldFor the remaining time in which retries of operations of the other mode can arrive
     */
    private record Mode(boolean isLedger, boolean isTurned, Duration heldFor) {

        static Mode of(ResultSet row, boolean isTurned) throws SQLException {
            Duration rest = LeaseRow.seconds(row, "held_seconds"); // zero if the column is null
            return new Mode(row.getString("mode").equals("ledger"), isTurned, rest.isNegative() ? Duration.ZERO : rest);
        }
    }

    /** A row as read, and an upper bound of the time of its last write, in nanoseconds of the monotonic clock. */
    private record Seen(UUID run, OffsetDateTime seenAt, long writtenBy) {

        /** Returns the earlier bound if the row has not changed. */
        Seen earlier(Seen next) {
            boolean isSame = run.equals(next.run) && seenAt.equals(next.seenAt);
            return isSame && writtenBy - next.writtenBy <= 0 ? this : next;
        }
    }

    private final FbfSchema schema;
    private final Self self;
    private final InstantSource hostClock;
    private final LongSupplier nanoTime;
    private final Map<String, Seen> seen = new HashMap<>();

    /**
     * Creates the registry as used by one process.
     *
     * @param nanoTime a monotonic clock like {@link System#nanoTime()}
     */
    LeaseTable(FbfSchema schema, Self self, InstantSource hostClock, LongSupplier nanoTime) {
        this.schema = schema;
        this.self = self;
        this.hostClock = hostClock;
        this.nanoTime = nanoTime;
    }

    /** See {@link NodeLease#check}. */
    void check(Connection connection) throws SQLException {
        for (String table : List.of("{fbf}.fbf_scope", "{fbf}.fbf_lease")) {
            schema.check(connection, table, "SELECT INSERT UPDATE");
        }
    }

    /**
     * Takes the lease of a scope, unless another process holds it, or the scope is in ledger mode and this is not the first registration.
     *
     * @param isStart whether this is the process's first registration: only this one turns a scope in ledger mode to filter mode
     * @return this process's standing
     */
    Standing register(Connection connection, ScopeClaims scope, boolean isStart) throws SQLException {
        Set<Older> committed = Set.of();
        for (; ; ) {
            try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
                Mode mode = mode(connection, scope.scope(), scope.retryWindow(), isStart);
                if (mode.isLedger()) {
                    return Standing.TURNED;
                }
                LeaseRow row = read(connection, scope.scope());
                Standing standing = row == null
                        ? Standing.held(self, Duration.ZERO)
                        : row.standing(self, scope.beat().expected().contains(row.beat()));
                if (standing.state() == State.REFUSED) {
                    return standing;
                }
                Set<Older> older = mode.isTurned() ? Set.of() : older(scope.beat(), standing, row);
                if (older.contains(Older.DATABASE) && scope.beat().isOfAnother(this)) {
                    return Standing.ELSEWHERE;
                }
                if (!older.equals(committed)) {
                    // an old primary without its standby also lacks commits, but cannot commit
                    transaction.commit();
                    committed = older;
                    continue;
                }
                scope.beat().note(older);
                long beat = row == null ? Beat.NONE : row.beat();
                long next = standing.state() == State.HELD ? scope.beat().intend(beat) : beat;
                if (take(connection, scope, standing, mode.heldFor(), next, row)) {
                    transaction.commit();
                    if (standing.state() == State.HELD) {
                        scope.beat().confirm(next, this);
                    }
                    return standing.afterLedgerMode(mode.heldFor());
                }
            }
        }
    }

    /** Compares the beat of a node that is to apply operations. */
    private Set<Older> older(Beat beat, Standing standing, @Nullable LeaseRow row) {
        if (standing.state() != State.HELD) {
            return Set.of();
        }
        return row == null
                ? beat.compare(Beat.NONE, false)
                : beat.compare(row.beat(), row.knows().equals(self.node()));
    }

    /** Locks the row of a scope, which it inserts if it is missing, and turns the scope to filter mode if this process may. */
    private Mode mode(Connection connection, String scope, Duration window, boolean isStart) throws SQLException {
        Mode mode =
                Sql.get(connection, schema.sql(connection, ENTER), row -> Mode.of(row, false), scope, micros(window));
        return mode.isLedger() && isStart
                ? Sql.get(connection, schema.sql(connection, TURN), row -> Mode.of(row, true), micros(window), scope)
                : mode;
    }

    /** Writes the row of the lease; returns false if the row has changed since it was read. */
    private boolean take(
            Connection connection,
            ScopeClaims scope,
            Standing standing,
            Duration heldFor,
            long beat,
            @Nullable LeaseRow row)
            throws SQLException {
        boolean applies = standing.state() == State.HELD && heldFor.isZero();
        Duration window = scope.retryWindow();
        Duration retriesFor = applies && window.compareTo(standing.rest()) > 0 ? window : standing.rest();
        UUID run = row == null ? null : row.run();
        OffsetDateTime seenAt = row == null ? null : row.seenAt();
        return update(
                        connection,
                        TAKE,
                        scope.scope(),
                        self.node(),
                        self.run(),
                        self.process(),
                        applies,
                        standing.node(),
                        standing.whose(),
                        beat,
                        micros(window),
                        micros(retriesFor),
                        hostTime(),
                        run,
                        seenAt)
                == 1;
    }

    /**
     * Renews leases that this process holds. Returns the scopes in which it may continue; in the others it must {@link #register} again.
     */
    Set<String> renew(Connection connection, Collection<ScopeClaims> scopes) throws SQLException {
        Set<String> renewed = new TreeSet<>();
        Map<ScopeClaims, Long> beats = new TreeMap<>(BY_NAME);
        Map<ScopeClaims, Set<Long>> expected = new HashMap<>();
        for (ScopeClaims scope : scopes) {
            Set<Long> its = scope.beat().expected();
            if (!its.isEmpty()) {
                expected.put(scope, its);
                beats.put(scope, scope.beat().intend(Collections.min(its)));
            }
        }
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            for (Map.Entry<ScopeClaims, Long> each : beats.entrySet()) {
                String scope = each.getKey().scope();
                Set<Long> its = requireNonNull(expected.get(each.getKey()));
                int rows = update(
                        connection,
                        RENEW,
                        each.getValue(),
                        hostTime(),
                        scope,
                        self.run(),
                        Collections.min(its),
                        Collections.max(its));
                if (rows == 1) {
                    renewed.add(scope);
                }
            }
            transaction.commit();
        }
        beats.forEach((scope, beat) -> {
            if (renewed.contains(scope.scope())) {
                scope.beat().confirm(beat, this);
            }
        });
        return renewed;
    }

    /** Records that this process applies no more operations, so that the next node does not wait for its leases to lapse. */
    void end(Connection connection, Collection<String> scopes) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            for (String scope : new TreeSet<>(scopes)) {
                update(connection, END, hostTime(), scope, self.run());
            }
            transaction.commit();
        }
    }

    private @Nullable LeaseRow read(Connection connection, String scope) throws SQLException {
        return Sql.find(
                connection, schema.sql(connection, READ), row -> LeaseRow.of(row, age(scope, row)), hostTime(), scope);
    }

    /** Returns the minimum time since the row was written: by the clocks, or by the monotonic clock since it was seen first. */
    private Duration age(String scope, ResultSet row) throws SQLException {
        UUID run = row.getObject("run", UUID.class);
        OffsetDateTime seenAt = row.getObject("seen_at", OffsetDateTime.class);
        Duration byClocks = LeaseRow.seconds(row, "age");
        long now = nanoTime.getAsLong();
        Seen next = new Seen(run, seenAt, byClocks.isNegative() ? now : now - byClocks.toNanos());
        return Duration.ofNanos(now - seen.merge(scope, next, Seen::earlier).writtenBy);
    }

    private int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        return Sql.update(connection, schema.sql(connection, sql), parameters);
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }

    private OffsetDateTime hostTime() {
        return hostClock.instant().atOffset(ZoneOffset.UTC);
    }
}
