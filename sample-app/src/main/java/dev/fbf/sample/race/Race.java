package dev.fbf.sample.race;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Has the contenders count, one race at a time. Thread-safe.
 *
 * <p>Clients are threads of this process, a fixed number: no HTTP comes between, and no visitor can ask for more. Each sends
 * its next operation when the last one is acknowledged, and every tenth operation twice, as one whose response was lost. The
 * contenders take turns, so that each has the machine and the database for itself.
 */
@Component
final class Race implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Race.class);

    /** Fewer than the pool has connections: the page goes on responding. */
    static final int CLIENTS = 12;

    static final int SENT_TWICE = 10;

    private static final int ROUNDS = 5;

    /** How long a race waits after its end for operations that are not acknowledged. */
    private static final Duration LATENESS = Duration.ofSeconds(30);

    private static final long PAUSE_MILLIS = 10;

    private final List<Contender> contenders;
    private final JdbcClient jdbc;
    private final Duration time;
    private final Duration turn;
    private final Map<String, Standing> standings = new LinkedHashMap<>();

    private @Nullable String counting;
    private volatile long endNanos;
    private volatile boolean closed;

    /**
     * @param time how long a race takes
     */
    Race(List<Contender> contenders, JdbcClient jdbc, @Value("${sample.race-time}") Duration time) {
        this.contenders = contenders;
        this.jdbc = jdbc;
        this.time = time;
        turn = time.dividedBy((long) ROUNDS * contenders.size());
    }

    /** Starts a race, unless one is running; returns whether it did. */
    synchronized boolean start() {
        if (counting != null || closed) {
            return false;
        }
        counting = contenders.get(0).name();
        endNanos = System.nanoTime() + time.toNanos();
        standings.clear();
        Thread race = new Thread(this::run, "race");
        race.setDaemon(true);
        race.start();
        return true;
    }

    synchronized Status status() {
        long left = counting == null ? 0 : Math.max(0, endNanos - System.nanoTime());
        return new Status(
                counting,
                Duration.ofNanos(left).plusMillis(999).toSeconds(),
                time.toSeconds(),
                CLIENTS,
                SENT_TWICE,
                List.copyOf(standings.values()));
    }

    /** Ends the race: the application stops. */
    @Override
    public void destroy() {
        closed = true;
    }

    private void run() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("race-");
        threads.setDaemon(true);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS, threads);
        try {
            jdbc.sql("UPDATE race SET counted = 0").update();
            List<Score> scores = contenders.stream().map(Score::new).toList();
            for (int round = 0; round < ROUNDS && !closed; round++) {
                for (Score score : scores) {
                    Contender contender = score.contender();
                    enter(contender.name());
                    score.add(takeTurn(contender, clients), round > 0);
                    note(score.standing(counted(contender)));
                }
            }
        } catch (InterruptedException | ExecutionException | RuntimeException e) {
            if (!closed) {
                log.warn("The race has ended early.", e);
            }
        } finally {
            clients.shutdownNow();
            enter(null);
        }
    }

    private synchronized void enter(@Nullable String contender) {
        counting = contender;
    }

    private synchronized void note(Standing standing) {
        standings.put(standing.contender(), standing);
    }

    private long counted(Contender contender) throws InterruptedException {
        return untilDone(() -> jdbc.sql("SELECT counted FROM race WHERE contender = ?")
                .param(contender.name())
                .query(Long.class)
                .single());
    }

    private Turn takeTurn(Contender contender, ExecutorService clients)
            throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        String keys = UUID.randomUUID() + "-";
        AtomicLong next = new AtomicLong();
        List<Callable<Histogram>> work = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            work.add(() -> countUntil(start + turn.toNanos(), contender, keys, next));
        }
        Histogram micros = new Histogram(3);
        for (Future<Histogram> client : clients.invokeAll(work)) {
            micros.add(client.get());
        }
        return new Turn(micros.getTotalCount(), Duration.ofNanos(System.nanoTime() - start), micros);
    }

    private Histogram countUntil(long end, Contender contender, String keys, AtomicLong next)
            throws InterruptedException {
        Histogram micros = new Histogram(3);
        while (System.nanoTime() < end && !closed) {
            long operation = next.getAndIncrement();
            long sent = System.nanoTime();
            countOnce(contender, keys + operation);
            micros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sent));
            if (operation % SENT_TWICE == 0) {
                countOnce(contender, keys + operation);
            }
        }
        return micros;
    }

    private void countOnce(Contender contender, String key) throws InterruptedException {
        untilDone(() -> {
            contender.count(key);
            return key;
        });
    }

    /** Repeats what fails, as a client must that gets no response or is told to come again. */
    private <T> T untilDone(Supplier<T> work) throws InterruptedException {
        while (true) {
            try {
                return work.get();
            } catch (RuntimeException e) {
                if (closed || System.nanoTime() - endNanos > LATENESS.toNanos()) {
                    throw e;
                }
                log.debug("It is tried again.", e);
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    /**
     * What the page shows.
     *
     * @param counting the contender that counts now; null if there is no race
     * @param secondsLeft until the race ends, rounded up
     * @param seconds how long a race takes
     * @param clients how many clients each contender has
     * @param sentTwice one in so many operations is sent twice
     * @param standings the contenders that have had a turn
     */
    record Status(
            @Nullable String counting,
            long secondsLeft,
            long seconds,
            int clients,
            int sentTwice,
            List<Standing> standings) {}
}
