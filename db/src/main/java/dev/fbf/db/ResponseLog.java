package dev.fbf.db;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records responses, a little later and many at a time, so that no client waits for it. A response that cannot be written is
 * left out: a retry then gets the response that it would get without the log.
 */
final class ResponseLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ResponseLog.class);

    private static final int CAPACITY = 4_096;
    private static final int BATCH = 256;

    /** Long enough for a batch, and short against the time that a client waits before it retries. */
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(50);

    private static final Duration RESPONSE = Duration.ofSeconds(5);

    private static final Duration TO_END = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final ResponseTable table;
    private final BlockingQueue<Response> waiting = new ArrayBlockingQueue<>(CAPACITY);

    private final PeriodicWork work = new PeriodicWork("fbf-responses", BETWEEN_BATCHES, early -> {
        writeWaiting();
        return BETWEEN_BATCHES;
    });

    /** Whether it was logged that nothing can be written, until something can. */
    private boolean saidSo;

    ResponseLog(DataSource dataSource, ResponseTable table) {
        this.dataSource = dataSource;
        this.table = table;
    }

    void start() {
        work.start(BETWEEN_BATCHES);
    }

    void add(Response response) {
        if (!waiting.offer(response)) {
            log.debug("A response is not recorded: responses arrive faster than they can be written.");
        }
    }

    private void writeWaiting() {
        List<Response> batch = new ArrayList<>();
        do {
            batch.clear();
            waiting.drainTo(batch, BATCH);
        } while (write(batch) && batch.size() == BATCH);
    }

    /** Returns whether that succeeded. */
    boolean write(List<Response> batch) {
        if (batch.isEmpty()) {
            return true;
        }
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, connection -> table.insert(connection, batch));
            saidSo = false;
            return true;
        } catch (SQLException | RuntimeException e) {
            if (!saidSo) {
                saidSo = true;
                log.warn("Responses cannot be recorded now: {}", e.toString());
            }
            return false;
        }
    }

    /** Writes what is waiting, if that takes no long time. */
    @Override
    public void close() {
        work.close();
        if (work.awaitEnd(TO_END)) {
            writeWaiting();
        }
    }
}
