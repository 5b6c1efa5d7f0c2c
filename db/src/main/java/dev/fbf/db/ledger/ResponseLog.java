package dev.fbf.db.ledger;

import dev.fbf.db.Response;
import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.connection.SqlFailures;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records responses, a little later and many at a time, so that no client waits for it. Until then they can be found here. A response
 * that the database does not take is left out, as is one for which there is no memory: a retry then gets the response that it would get
 * without the log.
 */
final class ResponseLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ResponseLog.class);

    private static final int BATCH = 256;

    /** Long enough to collect a batch, but short compared to a client's delay before a retry. */
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(50);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private static final Duration RESPONSE = Duration.ofSeconds(5);

    private static final Duration TO_END = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final ResponseTable table;
    private final long maxBytes;

    /** In the order of their arrival. Guarded by this. */
    private final Map<UUID, Response> unwritten = new LinkedHashMap<>();

    private long bytes;

    private final Background work = new Background(
            "fbf-responses",
            "Responses cannot be recorded now",
            AFTER_FAILURE,
            early -> writeAll() ? BETWEEN_BATCHES : AFTER_FAILURE);

    /** Whether it was logged that nothing can be written, until something can. */
    private boolean saidSo;

    /**
     * @param maxBytes how much of the heap the responses may take that are not written yet
     */
    ResponseLog(DataSource dataSource, ResponseTable table, long maxBytes) {
        this.dataSource = dataSource;
        this.table = table;
        this.maxBytes = maxBytes;
    }

    void start() {
        work.start(BETWEEN_BATCHES);
    }

    synchronized void add(Response response) {
        remove(response.operation());
        if (bytes + response.size() > maxBytes) {
            log.debug("A response is not recorded: responses arrive faster than they can be written.");
            return;
        }
        unwritten.put(response.operation(), response);
        bytes += response.size();
    }

    /** The response to an operation, if it is not written yet; null otherwise. */
    synchronized @Nullable Response find(UUID operation) {
        return unwritten.get(operation);
    }

    private void remove(UUID operation) {
        Response removed = unwritten.remove(operation);
        bytes -= removed == null ? 0 : removed.size();
    }

    private synchronized List<Response> oldest() {
        return unwritten.values().stream().limit(BATCH).toList();
    }

    private synchronized void removeAll(Collection<Response> written) {
        for (Response response : written) {
            if (unwritten.remove(response.operation(), response)) {
                bytes -= response.size();
            }
        }
    }

    /** Returns whether all could be written that there were. */
    private boolean writeAll() {
        List<Response> batch;
        do {
            batch = oldest();
            if (!write(batch)) {
                return false;
            }
            removeAll(batch);
        } while (batch.size() == BATCH);
        return true;
    }

    /**
     * Writes responses: one by one, where the database does not take all of them.
     *
     * @return false if nothing can be written now
     */
    boolean write(List<Response> batch) {
        if (batch.isEmpty()) {
            return true;
        }
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, connection -> table.insert(connection, batch));
            saidSo = false;
            return true;
        } catch (SQLException | RuntimeException e) {
            if (e instanceof SQLException failure && SqlFailures.isOfData(failure)) {
                return batch.size() == 1
                        ? leaveOut(failure)
                        : batch.stream().allMatch(response -> write(List.of(response)));
            }
            if (!saidSo) {
                saidSo = true;
                log.warn("Responses cannot be recorded now: {}", SqlFailures.withoutParameters(e));
            }
            return false;
        }
    }

    private static boolean leaveOut(SQLException e) {
        log.debug("A response is not recorded: the database does not take it (SQL state {}).", e.getSQLState());
        return true;
    }

    /** Writes the waiting responses, if that does not take long. */
    @Override
    public void close() {
        work.close();
        if (work.awaitEnd(TO_END)) {
            writeAll();
        }
    }
}
