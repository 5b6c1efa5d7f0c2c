package dev.fbf.db.ledger;

import static java.util.Objects.requireNonNull;

import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.Ledger.Kept;
import dev.fbf.db.dialect.Response;
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
     * Limit of one statement, in bytes, which the last response may exceed. The driver holds some copies of its responses, in addition to
     * the memory limit.
     */
    private static final long BATCH_BYTES = 1 << 18;

    /** The pause between batches: long enough to collect a batch, but short compared to a client's delay before a retry. */
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(50);

    private static final Duration UNTIL_WOKEN = Duration.ofDays(1);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private static final Duration RESPONSE = Duration.ofSeconds(5);

    private static final Duration TO_END = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final LedgerStore.Question<Ledger> ledgers;
    private final long maxBytes;

    /** Responses in order of arrival. Guarded by this. */
    private final Map<UUID, Kept> unwritten = new LinkedHashMap<>();

    /** Size of {@link #unwritten}. Guarded by this. */
    private long bytes;

    private final AtomicLong dropped = new AtomicLong();

    /** Whether a response was dropped for lack of memory. Guarded by this. */
    private boolean warned;

    private final Background work =
            new Background("fbf-responses", "Responses cannot be recorded now", AFTER_FAILURE, this::round);

    /**
     * @param maxBytes the heap limit of responses that are not written yet
     */
    ResponseLog(DataSource dataSource, LedgerStore.Question<Ledger> ledgers, long maxBytes) {
        this.dataSource = dataSource;
        this.ledgers = ledgers;
        this.maxBytes = maxBytes;
    }

    void start() {
        work.start(UNTIL_WOKEN);
    }

    synchronized void add(Kept entry) {
        Response response = entry.response();
        Kept before = unwritten.remove(response.operation());
        bytes -= before == null ? 0 : before.response().size();
        if (bytes + response.size() > maxBytes) {
            dropped.incrementAndGet();
            warnOnce();
            return;
        }
        if (unwritten.isEmpty()) {
            work.wake();
        }
        unwritten.put(response.operation(), entry);
        bytes += response.size();
    }

    private void warnOnce() {
        if (!warned) {
            warned = true;
            log.warn("A response could not be kept: responses are produced faster than the database stores them. Its"
                    + " operation was applied, and its retries get the response for duplicates. Check what slows"
                    + " the database down, or disable responses with fbf.responses.enabled=false. The meter"
                    + " fbf.responses.dropped counts them.");
        }
    }

    /** Returns the number of dropped responses. */
    long dropped() {
        return dropped.get();
    }

    /** Returns the response to an operation if it is not written yet, otherwise null. */
    synchronized @Nullable Response find(UUID operation) {
        Kept entry = unwritten.get(operation);
        return entry == null ? null : entry.response();
    }

    private synchronized List<Kept> oldest() {
        List<Kept> oldest = new ArrayList<>();
        long size = 0;
        for (Kept entry : unwritten.values()) {
            if (size > BATCH_BYTES) {
                break;
            }
            oldest.add(entry);
            size += entry.response().size();
        }
        return oldest;
    }

    private synchronized void removeAll(List<Kept> written) {
        for (Kept entry : written) {
            if (unwritten.remove(entry.response().operation(), entry)) {
                bytes -= entry.response().size();
            }
        }
    }

    /** Lets the first response of a batch wait for others; returns the pause until the next round. */
    private Duration round(boolean isOfFirst) throws SQLException {
        if (isOfFirst) {
            return BETWEEN_BATCHES;
        }
        writeAll();
        return oldest().isEmpty() ? UNTIL_WOKEN : BETWEEN_BATCHES;
    }

    /** Writes the pending responses. */
    private void writeAll() throws SQLException {
        long size = Long.MAX_VALUE;
        while (size > BATCH_BYTES) {
            List<Kept> batch = oldest();
            size = batch.stream().mapToLong(entry -> entry.response().size()).sum();
            write(batch);
            removeAll(batch);
        }
    }

    /** Writes responses. If the database rejects a batch, writes each alone. */
    void write(List<Kept> batch) throws SQLException {
        if (batch.isEmpty()) {
            return;
        }
        try {
            SilenceLimit.inConnection(
                    dataSource,
                    RESPONSE,
                    connection -> requireNonNull(ledgers.ask(connection)).keep(connection, batch));
        } catch (SQLException e) {
            if (!SqlFailures.isOfData(e)) {
                throw e;
            }
            if (batch.size() == 1) {
                dropped.incrementAndGet();
                log.debug("A response was not kept: the database has rejected it (SQL state {}).", e.getSQLState());
                return;
            }
            for (Kept entry : batch) {
                write(List.of(entry));
            }
        }
    }

    /** Ends the thread and writes the pending responses, unless the thread's round takes longer than {@link #TO_END}. */
    @Override
    public void close() {
        work.close();
        try {
            if (work.awaitEnd(TO_END)) {
                writeAll();
            }
        } catch (SQLException | RuntimeException e) {
            log.warn("The last responses cannot be recorded: {}", e.toString());
        }
    }
}
