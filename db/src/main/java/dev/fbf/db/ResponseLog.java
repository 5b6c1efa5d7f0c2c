package dev.fbf.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
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

    private static final Duration TO_END = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final ResponseTable table;
    private final BlockingQueue<Response> waiting = new ArrayBlockingQueue<>(CAPACITY);

    private volatile boolean closed;
    private @Nullable Thread writer;

    /** Whether it was logged that nothing can be written, until something can. */
    private boolean saidSo;

    ResponseLog(DataSource dataSource, ResponseTable table) {
        this.dataSource = dataSource;
        this.table = table;
    }

    synchronized void start() {
        Thread thread = new Thread(this::write, "fbf-responses");
        thread.setDaemon(true);
        thread.start();
        writer = thread;
    }

    void add(Response response) {
        if (!waiting.offer(response)) {
            log.debug("A response is not recorded: responses arrive faster than they can be written.");
        }
    }

    private void write() {
        List<Response> batch = new ArrayList<>();
        try {
            while (!closed || !waiting.isEmpty()) {
                Response first = waiting.poll(BETWEEN_BATCHES.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    waiting.drainTo(batch, BATCH - 1);
                    write(batch);
                    batch.clear();
                    if (!closed && waiting.size() < BATCH) {
                        TimeUnit.NANOSECONDS.sleep(BETWEEN_BATCHES.toNanos());
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void write(List<Response> batch) {
        try (Connection connection = dataSource.getConnection()) {
            table.insert(connection, batch);
            saidSo = false;
        } catch (SQLException | RuntimeException e) {
            if (!saidSo) {
                saidSo = true;
                log.warn("Responses cannot be recorded now: {}", e.toString());
            }
        }
    }

    /** Writes what is waiting, if that takes no long time. */
    @Override
    public synchronized void close() {
        closed = true;
        if (writer != null) {
            try {
                writer.join(TO_END.toMillis());
                writer.interrupt();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
