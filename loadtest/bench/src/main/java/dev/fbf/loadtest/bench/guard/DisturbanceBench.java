package dev.fbf.loadtest.bench.guard;

import dev.fbf.db.UnknownCounterException;
import dev.fbf.loadtest.bench.guard.DisturbanceReport.Turn;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Findings;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.spring.OperationUnavailableException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Measures, in turn, what others do to increments of {@code SqlCounters}, and what these do to others. */
public final class DisturbanceBench implements Run {

    private static final int ROWS = 1_000;
    private static final int LOCKED = 0;
    private static final int THREADS_OF_LOCKED = 4;
    private static final int OWN = 2;
    private static final double UNKNOWN_SHARE = 0.1;

    /** Of a server's statistics to be what it has counted. */
    private static final int STATISTICS_MILLIS = 1_500;

    /** What takes turns. */
    private record Contest(GuardContender contender, Disturbance disturbance) {}

    @Override
    public Findings run(Settings settings) throws Exception {
        int threads = settings.atLeastOne("threads");
        Path directory = settings.directory();
        Directories.delete(directory);
        try (BenchDatabase database = BenchDatabase.start(directory, threads + THREADS_OF_LOCKED + OWN)) {
            DisturbanceReport report = run(database, directory, threads, settings);
            return new Findings(report, report.table(), report.targets(), List.of(), database.servers(null));
        }
    }

    private static DisturbanceReport run(BenchDatabase database, Path directory, int threads, Settings settings)
            throws InterruptedException, ExecutionException, SQLException {
        database.createTables(ROWS);
        Map<GuardContender, Increments> increments = new EnumMap<>(GuardContender.class);
        List<BenchApplication> applications = new ArrayList<>();
        List<Contest> contests = contests();
        for (Contest contest : contests) {
            if (!increments.containsKey(contest.contender)) {
                BenchApplication application =
                        BenchApplication.start(contest.contender, database.pool(), null, directory);
                applications.add(application);
                increments.put(contest.contender, application.increments());
            }
        }
        ExecutorService executor = Executors.newCachedThreadPool();
        try {
            Turns turns = new Turns(database, increments, executor, threads);
            List<Turn> all = new ArrayList<>();
            for (Contest contest : contests) {
                turns.run(contest, settings.integer("warmUpMillis"));
            }
            for (int round = 0; round < settings.atLeastOne("rounds"); round++) {
                for (Contest contest : contests) {
                    all.add(turns.run(contest, settings.integer("millis")));
                    System.out.println(all.get(all.size() - 1));
                }
                Collections.rotate(contests, -1);
            }
            return new DisturbanceReport(all);
        } finally {
            executor.shutdownNow();
            applications.forEach(BenchApplication::close);
        }
    }

    /** What is compared with one another comes one after another. */
    private static List<Contest> contests() {
        List<Contest> contests = new ArrayList<>();
        for (GuardContender ours : DisturbanceReport.OURS) {
            for (Disturbance disturbance : Disturbance.values()) {
                contests.add(new Contest(ours, disturbance));
            }
        }
        contests.add(
                DisturbanceReport.OURS.size() + 2, new Contest(GuardContender.UPDATE, Disturbance.OWN_TRANSACTIONS));
        return contests;
    }

    private record Turns(
            BenchDatabase database, Map<GuardContender, Increments> increments, ExecutorService executor, int threads) {

        Turn run(Contest contest, long millis) throws InterruptedException, ExecutionException, SQLException {
            database.checkpoint();
            long deadlocks = database.deadlocks();
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            long done = switch (contest.disturbance) {
                case NONE -> rowsUntil(end, contest, 0);
                case UNKNOWN_NAMES -> rowsUntil(end, contest, UNKNOWN_SHARE);
                case LOCKED_ROW -> rowsBesideALockedOneUntil(end, contest);
                case OWN_TRANSACTIONS -> ownUntil(end, contest);
            };
            Thread.sleep(STATISTICS_MILLIS);
            return new Turn(
                    contest.contender, contest.disturbance, done * 1e3 / millis, database.deadlocks() - deadlocks);
        }

        private long rowsUntil(long end, Contest contest, double unknown)
                throws InterruptedException, ExecutionException {
            return sum(start(threads, () -> addUntil(end, contest.contender, 1, ROWS, unknown)));
        }

        private long rowsBesideALockedOneUntil(long end, Contest contest)
                throws InterruptedException, ExecutionException, SQLException {
            try (Connection tx = database.pool().getConnection()) {
                tx.setAutoCommit(false);
                update(tx, contest.contender, LOCKED);
                List<Future<Long>> ofLocked =
                        start(THREADS_OF_LOCKED, () -> addUntil(end, contest.contender, LOCKED, LOCKED + 1, 0));
                long done = rowsUntil(end, contest, 0);
                tx.rollback();
                sum(ofLocked);
                return done;
            }
        }

        private long ownUntil(long end, Contest contest) throws InterruptedException, ExecutionException {
            List<Future<Long>> adders = start(threads, () -> addUntil(end, contest.contender, 1, 1 + OWN, 0));
            long done = sum(start(OWN, () -> transactUntil(end, contest.contender)));
            sum(adders);
            return done;
        }

        /** Adds to counters between these; returns how often it did. */
        private long addUntil(long end, GuardContender contender, int from, int to, double unknown) {
            Increments its = Objects.requireNonNull(increments.get(contender));
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long added = 0;
            while (end - System.nanoTime() > 0) {
                boolean known = random.nextDouble() >= unknown;
                int counter = known ? random.nextInt(from, to) : ROWS + random.nextInt(from, to);
                try {
                    its.increment(counter, UUID.randomUUID().toString());
                    added++;
                } catch (UnknownCounterException | OperationUnavailableException e) {
                    // of a name that is not there, or a row that is locked
                }
            }
            return added;
        }

        /** Adds to two counters in one transaction, in the order in which groups do not; returns how often it did. */
        private long transactUntil(long end, GuardContender contender) throws SQLException {
            long done = 0;
            try (Connection connection = database.pool().getConnection()) {
                connection.setAutoCommit(false);
                while (end - System.nanoTime() > 0) {
                    try {
                        for (int counter = OWN; counter > 0; counter--) {
                            update(connection, contender, counter);
                        }
                        connection.commit();
                        done++;
                    } catch (SQLException deadlock) {
                        connection.rollback();
                    }
                }
            }
            return done;
        }

        private static void update(Connection connection, GuardContender contender, int counter) throws SQLException {
            try (PreparedStatement update = connection.prepareStatement(BenchDatabase.update(contender))) {
                update.setInt(1, counter);
                update.executeUpdate();
            }
        }

        private List<Future<Long>> start(int count, Callable<Long> work) {
            List<Future<Long>> started = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                started.add(executor.submit(work));
            }
            return started;
        }

        private static long sum(List<Future<Long>> parts) throws InterruptedException, ExecutionException {
            long sum = 0;
            for (Future<Long> part : parts) {
                sum += part.get();
            }
            return sum;
        }
    }
}
