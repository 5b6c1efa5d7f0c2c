package dev.fbf.db.ledger;

import dev.fbf.db.Response;
import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.Ledger;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of responses to the database, in batches shortly after they were sent, so that no client waits for the write. Until then they
 * are found in memory. A response is dropped if the database rejects it or the memory limit is reached; a retry then gets the response
 * for duplicates.
 */
final class ResponseLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ResponseLog.class);

    /**
     * Limits of one statement, in responses and in bytes. The driver holds some copies of its responses, in addition to the memory limit.
     * The last response may exceed the byte limit.
     */
    private static final int BATCH = 1_024;

    private static final long BATCH_BYTES = 1 << 18;

    /** The pause between batches: long enough to collect a batch, but short compared to a client's delay before a retry. */
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(50);

    private static final Duration UNTIL_WOKEN = Duration.ofDays(1);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private static final Duration RESPONSE = Duration.ofSeconds(5);

    private static final Duration TO_END = Duration.ofSeconds(2);

    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    /** Supplier of the ledger. */
    interface Ledgers {
        Ledger on(Connection connection) throws SQLException;
    }

    /**
     * A response to write.
     *
     * @param retention the time until it expires
     */
    record Entry(Response response, Duration retention) {

        private Ledger.Kept kept() {
            return new Ledger.Kept(
                    response.operation(),
                    new Ledger.Answer(response.status(), response.headers(), response.body()),
                    retention);
        }
    }

    private final DataSource dataSource;
    private final Ledgers ledgers;
    private final long maxBytes;

    /** Responses in order of arrival. Guarded by this. */
    private final Map<UUID, Entry> unwritten = new LinkedHashMap<>();

    /** Size of {@link #unwritten}. Guarded by this. */
    private long bytes;

    private final AtomicLong dropped = new AtomicLong();

    /** Time of the last warning about dropped responses, by {@link System#nanoTime()}; null before the first. Guarded by this. */
    private @Nullable Long warnedAt;

    private final Background work =
            new Background("fbf-responses", "Responses cannot be recorded now", AFTER_FAILURE, this::round);

    /** Whether the current inability to write has been logged. */
    private boolean loggedFailure;

    /**
     * @param maxBytes the heap limit of responses that are not written yet
     */
    ResponseLog(DataSource dataSource, Ledgers ledgers, long maxBytes) {
        this.dataSource = dataSource;
        this.ledgers = ledgers;
        this.maxBytes = maxBytes;
    }

    void start() {
        work.start(UNTIL_WOKEN);
    }

    synchronized void add(Entry entry) {
        Response response = entry.response();
        remove(response.operation());
        if (bytes + response.size() > maxBytes) {
            dropped.incrementAndGet();
            warn();
            return;
        }
        if (unwritten.isEmpty()) {
            work.wake();
        }
        unwritten.put(response.operation(), entry);
        bytes += response.size();
    }

    /** Logs a warning at intervals, because responses are dropped in large numbers. */
    private void warn() {
        long now = System.nanoTime();
        if (warnedAt != null && now - warnedAt < BETWEEN_WARNINGS.toNanos()) {
            return;
        }
        warnedAt = now;
        log.warn(
                "{} responses could not be kept since the start: they are produced faster than the database stores"
                        + " them. Their operations were applied, and retries get the response for duplicates. Check"
                        + " what slows the database down, or disable responses with fbf.responses.enabled=false. The"
                        + " meter fbf.responses.dropped counts them.",
                dropped);
    }

    /** Returns the number of dropped responses. */
    long dropped() {
        return dropped.get();
    }

    /** Returns the response to an operation if it is not written yet, otherwise null. */
    synchronized @Nullable Response find(UUID operation) {
        Entry entry = unwritten.get(operation);
        return entry == null ? null : entry.response();
    }

    private void remove(UUID operation) {
        Entry removed = unwritten.remove(operation);
        bytes -= removed == null ? 0 : removed.response().size();
    }

    private synchronized List<Entry> oldest() {
        List<Entry> oldest = new ArrayList<>();
        long size = 0;
        for (Entry entry : unwritten.values()) {
            if (oldest.size() == BATCH || size > BATCH_BYTES) {
                break;
            }
            oldest.add(entry);
            size += entry.response().size();
        }
        return oldest;
    }

    private synchronized void removeAll(List<Entry> written) {
        for (Entry entry : written) {
            if (unwritten.remove(entry.response().operation(), entry)) {
                bytes -= entry.response().size();
            }
        }
    }

    private static boolean isFull(List<Entry> batch) {
        return batch.size() == BATCH
                || batch.stream().mapToLong(entry -> entry.response().size()).sum() > BATCH_BYTES;
    }

    /** Lets the first response of a batch wait for others; returns the pause until the next round. */
    private Duration round(boolean isOfFirst) {
        if (isOfFirst) {
            return BETWEEN_BATCHES;
        }
        if (!writeAll()) {
            return AFTER_FAILURE;
        }
        return isEmpty() ? UNTIL_WOKEN : BETWEEN_BATCHES;
    }

    private synchronized boolean isEmpty() {
        return unwritten.isEmpty();
    }

    /** Writes the pending responses; returns false if they cannot be written now. */
    private boolean writeAll() {
        List<Entry> batch;
        do {
            batch = oldest();
            if (!write(batch)) {
                return false;
            }
            removeAll(batch);
        } while (isFull(batch));
        return true;
    }

    /**
     * Writes responses. If the database rejects a batch, writes its halves separately.
     *
     * @return false if the rest cannot be written now
     */
    boolean write(List<Entry> batch) {
        if (batch.isEmpty()) {
            return true;
        }
        try {
            SilenceLimit.inConnection(
                    dataSource,
                    RESPONSE,
                    connection -> ledgers.on(connection)
                            .keep(connection, batch.stream().map(Entry::kept).toList()));
            loggedFailure = false;
            return true;
        } catch (SQLException | RuntimeException e) {
            if (e instanceof SQLException failure && SqlFailures.isOfData(failure)) {
                int half = batch.size() / 2;
                return half == 0
                        ? leaveOut(failure)
                        : write(batch.subList(0, half)) && write(batch.subList(half, batch.size()));
            }
            if (!loggedFailure) {
                loggedFailure = true;
                log.warn("Responses cannot be recorded now: {}", e.toString());
            }
            return false;
        }
    }

    private boolean leaveOut(SQLException e) {
        dropped.incrementAndGet();
        log.debug("A response was not kept: the database has rejected it (SQL state {}).", e.getSQLState());
        return true;
    }

    /** Ends the thread and writes the pending responses, unless the thread's round takes longer than {@link #TO_END}. */
    @Override
    public void close() {
        work.close();
        if (work.awaitEnd(TO_END)) {
            writeAll();
        }
    }
}
