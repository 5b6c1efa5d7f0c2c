package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.spring.OperationUnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** Runs transactions beside the measured increments, on connections of its own, as the workload demands. */
final class Disturbance {

    private static final int LOCKED = 0;
    private static final int THREADS_OF_LOCKED = 4;
    private static final int OWN = 2;

    /** PostgreSQL updates its statistics with a delay. */
    private static final long STATISTICS_MILLIS = 1_500;

    private final BenchDatabase database;
    private final GuardContender contender;
    private final AtomicLongArray answered;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<Future<?>> tasks = new ArrayList<>();
    private final AtomicLong transactions = new AtomicLong();
    private final long deadlocks;
    private final long begin = System.nanoTime();
    private @Nullable Connection lock;
    private volatile boolean ends;

    private Disturbance(BenchDatabase database, GuardContender contender, AtomicLongArray answered)
            throws SQLException {
        this.database = database;
        this.contender = contender;
        this.answered = answered;
        deadlocks = database.deadlocks();
    }

    /** @param answered how often each of the contender's counters was added to */
    static Disturbance begin(
            Workload workload,
            BenchDatabase database,
            GuardContender contender,
            Increments increments,
            AtomicLongArray answered)
            throws SQLException {
        Disturbance disturbance = new Disturbance(database, contender, answered);
        if (workload == Workload.LOCKED_ROW) {
            disturbance.lock(increments);
        } else if (workload == Workload.OWN_TRANSACTIONS) {
            for (int i = 0; i < OWN; i++) {
                disturbance.tasks.add(disturbance.executor.submit(disturbance::transact));
            }
        }
        return disturbance;
    }

    /** Locks a row, which more threads add to. */
    private void lock(Increments increments) throws SQLException {
        lock = database.server().connect();
        lock.setAutoCommit(false);
        update(lock, LOCKED);
        for (int i = 0; i < THREADS_OF_LOCKED; i++) {
            tasks.add(executor.submit(() -> add(increments)));
        }
    }

    private void add(Increments increments) {
        while (!ends) {
            try {
                increments.increment(LOCKED, UUID.randomUUID().toString());
                answered.incrementAndGet(LOCKED);
            } catch (OperationUnavailableException e) {
                // the row is locked
            }
        }
    }

    /** Adds to two counters in one transaction, in the order in which groups do not. */
    private @Nullable Void transact() throws SQLException {
        try (Connection connection = database.server().connect()) {
            connection.setAutoCommit(false);
            while (!ends) {
                try {
                    for (int counter = OWN; counter > 0; counter--) {
                        update(connection, counter);
                    }
                    connection.commit();
                    for (int counter = OWN; counter > 0; counter--) {
                        answered.incrementAndGet(counter);
                    }
                    transactions.incrementAndGet();
                } catch (SQLException deadlock) {
                    connection.rollback();
                }
            }
        }
        return null;
    }

    private void update(Connection connection, int counter) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(contender.update())) {
            update.setInt(1, counter);
            update.executeUpdate();
        }
    }

    /**
     * Ends it.
     *
     * @return {@code deadlocks} that PostgreSQL found meanwhile; {@code perSecond} of the own transactions, if there were any
     */
    Map<String, Double> end() throws SQLException, InterruptedException, ExecutionException {
        double seconds = (System.nanoTime() - begin) / 1e9;
        ends = true;
        if (lock != null) {
            lock.rollback();
            lock.close();
        }
        for (Future<?> task : tasks) {
            task.get();
        }
        executor.shutdown();
        TimeUnit.MILLISECONDS.sleep(STATISTICS_MILLIS);
        double found = database.deadlocks() - deadlocks;
        return transactions.get() == 0
                ? Map.of("deadlocks", found)
                : Map.of("deadlocks", found, "perSecond", transactions.get() / seconds);
    }
}
