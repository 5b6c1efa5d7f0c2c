package dev.fbf.sample.kill;

import dev.fbf.sample.connection.Cut;
import dev.fbf.sample.connection.DatabaseConnections;
import dev.fbf.sample.postgres.ConditionalOnLocalPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Cuts all database connections while some transactions are being committed, and refuses new ones for a while; one time after
 * the other. Thread-safe.
 *
 * <p>Each operation is sent to a guarded and an unguarded counter. One half of their COMMITs are cut off before the database
 * gets them, the other half when it has committed and its response is on the way: the client cannot tell the two apart, and
 * sends each again.
 */
@Component
@ConditionalOnLocalPostgres
final class KillMe implements DisposableBean {

    static final int OPERATIONS = 4;

    private static final Logger log = LoggerFactory.getLogger(KillMe.class);

    private static final long LONGEST_SECONDS = 30;
    private static final long PAUSE_MILLIS = 50;

    private final CutCounter counter;
    private final Duration outage;

    private @Nullable Stage stage;
    private int connections;
    private List<Outcome> outcomes = List.of();
    private volatile boolean closed;

    /**
     * @param outage how long the database cannot be reached
     */
    KillMe(CutCounter counter, @Value("${sample.outage}") Duration outage) {
        this.counter = counter;
        this.outage = outage;
    }

    /** Starts, unless it is running; returns whether it did. */
    synchronized boolean start() {
        if (stage != null || closed) {
            return false;
        }
        enter(Stage.COMMITTING);
        connections = 0;
        outcomes = List.of();
        Thread kill = new Thread(this::run, "kill-me");
        kill.setDaemon(true);
        kill.start();
        return true;
    }

    synchronized Status status() {
        return new Status(stage, connections, outcomes);
    }

    @Override
    public void destroy() {
        closed = true;
    }

    private void run() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("kill-me-");
        threads.setDaemon(true);
        ExecutorService clients = Executors.newFixedThreadPool(2 * OPERATIONS, threads);
        try {
            note(cutAndSettle(clients));
        } catch (InterruptedException | ExecutionException | RuntimeException e) {
            if (!closed) {
                log.warn("The operations were not all acknowledged.", e);
            }
        } finally {
            clients.shutdownNow();
            enter(null);
        }
    }

    private List<Outcome> cutAndSettle(ExecutorService clients) throws InterruptedException, ExecutionException {
        counter.reset(OPERATIONS);
        CountDownLatch held = new CountDownLatch(2 * OPERATIONS);
        List<CutOperation> guarded = operations(held);
        List<CutOperation> unguarded = operations(held);
        note(guarded.stream().map(Outcome::unknown).toList());
        List<Future<Integer>> sentGuarded = guarded.stream()
                .map(operation -> clients.submit(() -> send(() -> counter.addGuarded(operation.key(), operation))))
                .toList();
        List<Future<Integer>> sentUnguarded = unguarded.stream()
                .map(operation -> clients.submit(() -> send(() -> counter.addUnguarded(operation))))
                .toList();
        boolean allHeld = held.await(LONGEST_SECONDS, TimeUnit.SECONDS);
        cut();
        if (!allHeld) {
            log.warn("{} transactions have not come to their COMMIT.", held.getCount());
        }
        List<Outcome> found = new ArrayList<>();
        for (int i = 0; i < OPERATIONS; i++) {
            CutOperation operation = guarded.get(i);
            int sent = sentGuarded.get(i).get();
            int unguardedSent = sentUnguarded.get(i).get();
            found.add(Outcome.of(
                    operation,
                    sent,
                    counter.counted(true, operation.number()),
                    unguardedSent,
                    counter.counted(false, operation.number())));
        }
        return found;
    }

    private static List<CutOperation> operations(CountDownLatch held) {
        List<CutOperation> operations = new ArrayList<>();
        for (int number = 1; number <= OPERATIONS; number++) {
            operations.add(new CutOperation(
                    number, UUID.randomUUID().toString(), number % 2 == 1 ? Cut.REQUEST : Cut.RESPONSE, held));
        }
        return operations;
    }

    private synchronized void cut() {
        enter(Stage.CUT);
        connections = DatabaseConnections.cutAll(outage);
        log.info("Cut {} database connections; new ones are refused for {} ms.", connections, outage.toMillis());
    }

    private synchronized void enter(@Nullable Stage next) {
        stage = next;
    }

    private synchronized void note(List<Outcome> found) {
        outcomes = found;
    }

    /** Sends an operation until it is acknowledged, as a client must; returns how often that was. */
    private int send(Runnable operation) throws InterruptedException {
        long start = System.nanoTime();
        for (int sent = 1; ; sent++) {
            try {
                operation.run();
                return sent;
            } catch (RuntimeException e) {
                if (closed || System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
                    throw e;
                }
                log.debug("It is sent again.", e);
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** How far it is. */
    enum Stage {
        /** Transactions are begun, and their COMMITs sent. */
        COMMITTING,
        /** The connections are cut; operations are sent again until they are acknowledged. */
        CUT
    }

    /**
     * An operation, and what became of it; null is what is not known yet.
     *
     * @param id its id, as the endpoint {@code fbf} tells it while it is in doubt
     * @param cut which part of its COMMIT was taken away
     * @param settledAsApplied whether the guard found that the COMMIT had been done, so that a retry changed nothing; else its SQL was
     *     executed again
     * @param sent how often it was sent to the guarded counter
     * @param counted the guarded counter
     * @param unguardedSent how often it was sent to the unguarded counter
     * @param unguardedCounted the unguarded counter
     */
    record Outcome(
            String id,
            Cut cut,
            @Nullable Boolean settledAsApplied,
            @Nullable Integer sent,
            @Nullable Long counted,
            @Nullable Integer unguardedSent,
            @Nullable Long unguardedCounted) {

        static Outcome unknown(CutOperation operation) {
            return new Outcome(operation.id(), operation.cut(), null, null, null, null, null);
        }

        static Outcome of(CutOperation operation, int sent, long counted, int unguardedSent, long unguardedCounted) {
            return new Outcome(
                    operation.id(),
                    operation.cut(),
                    operation.runs() == 1,
                    sent,
                    counted,
                    unguardedSent,
                    unguardedCounted);
        }
    }

    /**
     * What the page shows.
     *
     * @param stage how far it is; null if it is not on
     * @param connections how many connections were cut
     * @param outcomes the operations of this time, or the last, and what became of them
     */
    record Status(@Nullable Stage stage, int connections, List<Outcome> outcomes) {}
}
