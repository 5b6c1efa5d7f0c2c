package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.DriverException;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.group.GatheringQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Thread that commits the groups of a lane one after another. Thread-safe. */
final class LaneThread implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LaneThread.class);

    private static final Duration PAUSE = Duration.ofMillis(200);

    private final String scope;
    private final Lane lane;
    private final Supplier<LaneListener> listener;
    private final Runnable whenRestored;
    private final GatheringQueue<LaneIncrement> queue = new GatheringQueue<>();
    private final Thread thread;

    private volatile @Nullable Throwable failure;

    /**
     * @param whenRestored run once, by the thread, when the lane's window is in the filter
     */
    LaneThread(String scope, int index, Lane lane, Supplier<LaneListener> listener, Runnable whenRestored) {
        this.scope = scope;
        this.lane = lane;
        this.listener = listener;
        this.whenRestored = whenRestored;
        thread = new Thread(this::run, "fbf-lane-" + scope + "-" + index);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Adds an increment, and waits for its outcome; returns false if it is still being applied after the timeout. */
    boolean apply(LaneIncrement increment, Duration timeout) {
        if (!queue.add(increment)) {
            increment.refused(Refusal.STOPPED, null);
        }
        return increment.awaitEnd(timeout);
    }

    int waiting() {
        return queue.size();
    }

    /** Returns the error of the last attempt to restore the window or to commit a group; null if that succeeded. */
    @Nullable Throwable failure() {
        return failure;
    }

    /** Accepts no more increments. The thread commits the queued ones and ends. This call does not wait. */
    @Override
    public void close() {
        queue.close();
    }

    /** Waits until the thread has ended; returns whether it ended in time. */
    boolean awaitEnd(Duration time) throws InterruptedException {
        thread.join(Math.max(1, time.toMillis()));
        return !thread.isAlive();
    }

    /** Interrupts the thread, which may be waiting for Cassandra. */
    void interrupt() {
        thread.interrupt();
    }

    private void run() {
        try {
            restore();
            while (queue.awaitSome()) {
                round();
            }
        } catch (InterruptedException e) {
            log.debug("Interrupted.", e);
        }
        queue.close();
        for (List<LaneIncrement> left = take(); !left.isEmpty(); left = take()) {
            left.forEach(increment -> increment.refused(Refusal.STOPPED, null));
        }
    }

    private void restore() throws InterruptedException {
        for (; ; ) {
            try {
                lane.restore();
                failure = null;
                whenRestored.run();
                return;
            } catch (RuntimeException | Error e) {
                boolean isOfCassandra = e instanceof DriverException;
                if (isOfCassandra ? failure == null : !isSame(failure, e)) {
                    log.atLevel(isOfCassandra ? Level.WARN : Level.ERROR)
                            .addKeyValue("scope", scope)
                            .setCause(isOfCassandra ? null : e)
                            .log(
                                    "The operations of the retry window of scope {} cannot be read; new operations are"
                                            + " refused meanwhile: {}",
                                    scope,
                                    e.toString());
                }
                failure = e;
            }
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        }
    }

    private void round() throws InterruptedException {
        List<LaneIncrement> group = List.of();
        try {
            lane.refresh();
            group = take();
            if (!group.isEmpty()) {
                long begin = System.nanoTime();
                Throwable error = lane.commit(group);
                ended(group, begin);
                report(error);
            }
        } catch (RuntimeException | Error e) {
            if (!isSame(failure, e)) {
                log.atError()
                        .addKeyValue("scope", scope)
                        .setCause(e)
                        .log("A group of operations of scope {} has failed: its operations are in doubt.", scope);
            }
            failure = e;
            // a persistent error must neither block operations nor fill the log
            lane.fail(group.isEmpty() ? take() : group, e);
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        } catch (InterruptedException e) {
            lane.fail(group, e);
            throw e;
        }
    }

    /** Returns whether the same error has been logged. */
    private static boolean isSame(@Nullable Throwable known, Throwable e) {
        return known != null && known.toString().equals(e.toString());
    }

    private void report(@Nullable Throwable error) {
        if (error != null && failure == null) {
            log.atWarn()
                    .addKeyValue("scope", scope)
                    .log(
                            "Operations of scope {} are refused until Cassandra can commit them: {}",
                            scope,
                            error.toString());
        } else if (error == null && failure != null) {
            log.atInfo().addKeyValue("scope", scope).log("Operations of scope {} are committed again.", scope);
        }
        failure = error;
    }

    private void ended(List<LaneIncrement> group, long begin) {
        long took = System.nanoTime() - begin;
        queue.ended(group.size(), took);
        Duration waited = Duration.ofNanos(begin - group.get(0).queuedAt());
        listener.get().ended(group.size(), waited, Duration.ofNanos(took));
    }

    private List<LaneIncrement> take() {
        return queue.take(LaneThread::takeFrom);
    }

    /** Takes at most as many increments as fit in one batch. */
    private static List<LaneIncrement> takeFrom(Deque<LaneIncrement> waiting) {
        List<LaneIncrement> group = new ArrayList<>();
        GroupSize size = new GroupSize(1);
        for (LaneIncrement next = waiting.peek();
                next != null && (group.isEmpty() || size.fits(next));
                next = waiting.peek()) {
            waiting.remove();
            if (next.take()) {
                size.add(next);
                group.add(next);
            }
        }
        return group;
    }
}
