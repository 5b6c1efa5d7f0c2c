package dev.fbf.db.ledger;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Postgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records in the table {@code fbf_horizon} by which time all transactions had ended that entered operations before a given time. Not
 * thread-safe.
 */
final class LedgerHorizon {

    /*
     * A row of the ledger has the time of its insert, and its COMMIT may follow minutes later: retries begin then. The row must be kept for
     * the retry window from that moment, even if a lock, a client or a server delayed the COMMIT.
     *
     * A transaction that has inserted rows holds a lock on the ledger, from before the time in its first row until its COMMIT is
     * visible, and all users may read pg_locks. No row gets an earlier time than the sampled clock: the newest clock of all samples that
     * its statement's snapshot contains. So a transaction that ends after a sample, and whose lock the sample does not contain, enters no
     * rows before the sampled clock that the sample found. From its next sample on, its age is bounded by that time. Transactions of rows
     * before all of these bounds had ended by the sample. Each record has two times:
     *
     *   entered_before   rows that were entered before this time of the database's clock
     *   ended_by         are committed or gone by this time of the ledger
     *
     * A row's retention counts from the first record whose entered_before is later than the row. Missing records only prolong it: while no
     * process samples, or while an older writer stays open. Records that are dense compared with their age are thinned out; this prolongs
     * the retention by at most a sixteenth.
     *
     * The ledger has its own time, because the database's clock can be set, and a standby with another clock can take over. The row with
     * entered_before = -infinity holds it, beside the sampled clock. One node keeps the time: each round it adds the span that its
     * monotonic clock has measured, unless it finds the time changed. Then another node has taken over, which found the time unchanged for
     * two rounds. One would not do: the rounds of two nodes pass each other. No span is added twice, so the ledger's time is never faster
     * than true time, and it stands still while no node runs. Only a node that adds a span writes a record, because its samples are up to
     * date. The lock on the table makes reading and adding one step.
     *
     * The database's clock only orders rows and records. A step forward has no effect, nor has a step back and forth between two rounds of
     * all nodes; only a snapshot under REPEATABLE READ that is older than a sample leaves a step of more than MARGIN in between without this
     * protection. After a step back that lasts, new rows get the sampled clock as their time, and would be kept until the clock has passed
     * it: so all records are deleted. A node sees that by its monotonic clock, or because a record is later than the present. It then
     * changes the ledger's time, so that all other nodes start over too, even if the clock is right again.
     *
     * A transaction keeps its name when it is prepared for two-phase commit. On another server, or when the clock went back, sampling
     * starts over.
     */
    private static final Logger log = LoggerFactory.getLogger(LedgerHorizon.class);

    /** Older than any transaction: the start of the writer is unknown. */
    private static final OffsetDateTime UNKNOWN = OffsetDateTime.MIN;

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    /** How much earlier a record is than its bound, so that a clock that goes back by less starts nothing over. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    /**
     * Threshold for a step back of the database's clock: shorter than MARGIN, and longer than a slewed clock falls behind between two
     * rounds.
     */
    private static final Duration STEP = Duration.ofSeconds(1);

    /** SQL for the time of a new row. */
    static final String NOW =
            "greatest(clock_timestamp(), (SELECT sampled_clock FROM {fbf}.fbf_horizon WHERE entered_before = '-infinity'))";

    private static final String LOCK = "LOCK TABLE {fbf}.fbf_horizon IN SHARE ROW EXCLUSIVE MODE";

    private static final String SAMPLE = "SELECT statement_timestamp(), " + Postgres.START
            + ", virtualtransaction FROM (VALUES (1)) AS one LEFT JOIN pg_locks"
            + " ON locktype = 'relation' AND relation = CAST(? AS regclass) AND mode = 'RowExclusiveLock'"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private static final String TIME = """
            SELECT coalesce(max(ended_by) FILTER (WHERE entered_before = '-infinity'), max(ended_by), clock_timestamp()),
              max(entered_before) > clock_timestamp(), max(sampled_clock)
            FROM {fbf}.fbf_horizon
            """;

    private static final String FORGET_TIME = "DELETE FROM {fbf}.fbf_horizon WHERE entered_before = '-infinity'";

    private static final String FORGET_ALL = "DELETE FROM {fbf}.fbf_horizon";

    private static final String RECORD =
            "INSERT INTO {fbf}.fbf_horizon (entered_before, ended_by) VALUES (?, ?) ON CONFLICT DO NOTHING";

    private static final String RECORD_TIME =
            "INSERT INTO {fbf}.fbf_horizon (entered_before, ended_by, sampled_clock) VALUES ('-infinity', ?, ?)";

    // deletes every second record, so that each deleted record has a neighbor
    private static final String THIN = """
            DELETE FROM {fbf}.fbf_horizon WHERE entered_before IN (
              SELECT entered_before FROM (
                SELECT entered_before, ended_by, row_number() OVER records AS number,
                  lead(ended_by) OVER records - lag(ended_by) OVER records AS gap
                FROM {fbf}.fbf_horizon WHERE entered_before > '-infinity'
                WINDOW records AS (ORDER BY entered_before)) AS record
              WHERE number % 2 = 0
                AND gap < ((SELECT ended_by FROM {fbf}.fbf_horizon WHERE entered_before = '-infinity') - ended_by) / 16)
            """;

    /**
     * A sample of the database's clock and writers.
     *
     * @param sent the time when the query was sent, by the monotonic clock
     * @param received the time when its result was received
     * @param clock the database's time between the two
     * @param server the start time of the server
     * @param writers the transactions that hold the lock
     */
    private record Sample(long sent, long received, OffsetDateTime clock, OffsetDateTime server, Set<String> writers) {

        /**
         * Returns the drift of the database's clock against the monotonic clock since an earlier sample, as far as it is certain: positive
         * if it is ahead, negative if behind, zero if the round trips can explain it.
         */
        Duration aheadSince(Sample earlier) {
            Duration moved = Duration.between(earlier.clock, clock);
            Duration less = moved.minusNanos(sent - earlier.received);
            Duration more = moved.minusNanos(received - earlier.sent);
            return less.isNegative() ? less : more.isNegative() ? Duration.ZERO : more;
        }
    }

    /**
     * The time of the ledger.
     *
     * @param isLeftBehind whether the database's clock is behind a record
     * @param sampledClock the newest clock of the earlier samples; null if the ledger is new
     */
    private record LedgerTime(
            OffsetDateTime now,
            boolean isLeftBehind,
            @Nullable OffsetDateTime sampledClock) {}

    private enum Role {
        /** Another node may have changed the ledger's time since the last round. */
        FOLLOWS,
        /** No node has changed it since the last round. */
        WAITS,
        /** This node keeps the time. */
        KEEPS
    }

    /**
     * The result of a round.
     *
     * @param writers the writers of its sample, each with the earliest possible time of its rows
     * @param others the earliest possible time of the rows of all other transactions that end after the sample
     * @param ledgerTime the ledger's time of its sample
     * @param seen when this node began to see that time, by its monotonic clock
     */
    private record Round(
            Sample sample,
            Map<String, OffsetDateTime> writers,
            OffsetDateTime others,
            Role role,
            OffsetDateTime ledgerTime,
            long seen) {

        /** Returns the earliest possible time of the rows of all transactions that end after the sample. */
        OffsetDateTime earliest() {
            return writers.values().stream().reduce(others, (one, other) -> one.isBefore(other) ? one : other);
        }
    }

    private final FbfSchema schema;
    private final LongSupplier nanoTime;
    private @Nullable Round last;

    LedgerHorizon(FbfSchema schema) {
        this(schema, System::nanoTime);
    }

    /**
     * @param nanoTime a monotonic clock like {@link System#nanoTime()}
     */
    LedgerHorizon(FbfSchema schema, LongSupplier nanoTime) {
        this.schema = schema;
        this.nanoTime = nanoTime;
    }

    /**
     * Takes a sample in a separate transaction, records its result, and advances the ledger's time.
     *
     * @return whether this node keeps the ledger's time
     */
    boolean advance(Connection connection) throws SQLException {
        Round before = last;
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            execute(connection, LOCK);
            Sample sample = sample(connection);
            LedgerTime found = time(connection);
            Duration ahead = before == null ? Duration.ZERO : sample.aheadSince(before.sample);
            boolean isSetBack = found.isLeftBehind || ahead.compareTo(STEP.negated()) < 0;
            Round same = before != null && found.now.isEqual(before.ledgerTime) ? before : null;
            Role role = found.sampledClock == null ? Role.KEEPS : role(same);
            Duration added = same != null && role == Role.KEEPS ? since(same, sample) : null;
            OffsetDateTime now = added == null ? found.now : found.now.plus(added);
            if (isSetBack) {
                now = now.minus(1, ChronoUnit.MICROS); // other nodes find the time changed, and start over as well
            }
            OffsetDateTime sampled = found.sampledClock == null ? UNKNOWN : found.sampledClock;
            Round round = new Round(
                    sample,
                    writers(sample, isSetBack ? null : same),
                    sampled.isBefore(sample.clock) ? sampled : sample.clock,
                    role,
                    now,
                    same != null && role == Role.WAITS ? same.seen : sample.received);

            execute(connection, isSetBack ? FORGET_ALL : FORGET_TIME);
            execute(connection, RECORD_TIME, now, isSetBack || sampled.isBefore(sample.clock) ? sample.clock : sampled);
            if (added != null && !isSetBack && !round.earliest().equals(UNKNOWN)) {
                execute(connection, RECORD, round.earliest().minus(MARGIN), now);
            }
            execute(connection, THIN);
            transaction.commit();
            last = round;
            report(ahead, isSetBack);
            return added != null && !isSetBack;
        }
    }

    /**
     * @param same the previous round, if the ledger's time has not changed since
     */
    private static Role role(@Nullable Round same) {
        if (same == null) {
            return Role.FOLLOWS;
        }
        return same.role == Role.FOLLOWS ? Role.WAITS : Role.KEEPS;
    }

    private static Duration since(Round before, Sample sample) {
        return Duration.ofNanos(sample.received - before.seen).truncatedTo(ChronoUnit.MICROS);
    }

    private static Map<String, OffsetDateTime> writers(Sample sample, @Nullable Round before) {
        Round same = before != null && before.sample.server.equals(sample.server) ? before : null;
        Map<String, OffsetDateTime> writers = new HashMap<>();
        for (String writer : sample.writers) {
            writers.put(writer, same == null ? UNKNOWN : same.writers.getOrDefault(writer, same.others));
        }
        return writers;
    }

    private static void report(Duration ahead, boolean isSetBack) {
        if (isSetBack) {
            log.warn(
                    "The database's clock went back{}: its host's time was set, or a standby with another clock took over. The ledger"
                            + " keeps operations for longer, and forgets none early. Check how the database's hosts set their clocks.",
                    ahead.isNegative() ? " by " + seconds(ahead.negated()) + " s" : "");
        } else if (ahead.compareTo(MARGIN) > 0) {
            log.warn(
                    "The database's clock went ahead by {} s: its host's time was set, a standby with another clock took over, or"
                            + " this host was suspended. The ledger forgets no operation early. Check how the database's hosts set"
                            + " their clocks.",
                    seconds(ahead));
        }
    }

    private static long seconds(Duration time) {
        return time.plusMillis(500).toSeconds();
    }

    private Sample sample(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SAMPLE)) {
            statement.setString(1, schema.sql(connection, "{fbf}.fbf_ledger"));
            long sent = nanoTime.getAsLong();
            try (ResultSet locks = statement.executeQuery()) {
                long received = nanoTime.getAsLong();
                locks.next();
                OffsetDateTime clock = locks.getObject(1, OffsetDateTime.class);
                OffsetDateTime server = Postgres.start(locks, 2);
                Set<String> writers = new HashSet<>();
                do {
                    String writer = locks.getString(3);
                    if (writer != null) {
                        writers.add(writer);
                    }
                } while (locks.next());
                return new Sample(sent, received, clock, server, writers);
            }
        }
    }

    private LedgerTime time(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, TIME));
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return new LedgerTime(
                    rows.getObject(1, OffsetDateTime.class),
                    rows.getBoolean(2),
                    rows.getObject(3, OffsetDateTime.class));
        }
    }

    private void execute(Connection connection, String sql, OffsetDateTime... times) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, sql))) {
            for (int i = 0; i < times.length; i++) {
                statement.setObject(i + 1, times[i]);
            }
            statement.execute();
        }
    }
}
