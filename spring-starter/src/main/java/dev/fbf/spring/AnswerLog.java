package dev.fbf.spring;

import dev.fbf.db.Answer;
import dev.fbf.db.AnswerTable;
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
 * Writes down what clients were answered, a little later and many at a time, so that no client waits for it. What cannot be
 * written is left out: then a retry is answered as without it.
 */
final class AnswerLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AnswerLog.class);

    private static final int CAPACITY = 4_096;
    private static final int BATCH = 256;

    /** Long enough for a batch, and short against the time that a client waits before it retries. */
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(50);

    private static final Duration TO_END = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final AnswerTable table;
    private final BlockingQueue<Answer> waiting = new ArrayBlockingQueue<>(CAPACITY);

    private volatile boolean closed;
    private @Nullable Thread writer;

    /** Whether somebody has been told that nothing can be written, until something can. */
    private boolean saidSo;

    AnswerLog(DataSource dataSource, AnswerTable table) {
        this.dataSource = dataSource;
        this.table = table;
    }

    synchronized void start() {
        Thread thread = new Thread(this::write, "fbf-answers");
        thread.setDaemon(true);
        thread.start();
        writer = thread;
    }

    void add(Answer answer) {
        if (!waiting.offer(answer)) {
            log.debug("An answer is left out: they come faster than they can be written.");
        }
    }

    private void write() {
        List<Answer> batch = new ArrayList<>();
        try {
            while (!closed || !waiting.isEmpty()) {
                Answer first = waiting.poll(BETWEEN_BATCHES.toMillis(), TimeUnit.MILLISECONDS);
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

    void write(List<Answer> batch) {
        try (Connection connection = dataSource.getConnection()) {
            table.insert(connection, batch);
            saidSo = false;
        } catch (SQLException | RuntimeException e) {
            if (!saidSo) {
                saidSo = true;
                log.warn("What requests were answered cannot be written down now: {}", e.toString());
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
