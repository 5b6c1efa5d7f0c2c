package dev.fbf.loadtest.bench.guard;

import dev.fbf.db.UnknownCounterException;
import dev.fbf.loadtest.bench.BenchDirectory;
import dev.fbf.loadtest.bench.guard.DisturbanceReport.Turn;
import dev.fbf.spring.OperationUnavailableException;
import java.nio.file.Files;
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
import tools.jackson.databind.json.JsonMapper;

/** Measures, in turn, what others do to increments of {@code SqlCounters}, and what these do to others. */
public final class DisturbanceBench {

    private static final int THREADS = Integer.getInteger("bench.guard.threads", 16);
    private static final int ROUNDS = Integer.getInteger("bench.disturbance.rounds", 3);
    private static final int TURN_MILLIS = Integer.getInteger("bench.disturbance.millis", 10_000);
    private static final int WARM_UP_MILLIS = Integer.getInteger("bench.disturbance.warmUpMillis", 3_000);

    private static final int ROWS = 1_000;
    private static final int LOCKED = 0;
    private static final int THREADS_OF_LOCKED = 4;
    private static final int OWN = 2;
    private static final double UNKNOWN_SHARE = 0.1;

    /** Of a server's statistics to be what it has counted. */
    private static final int STATISTICS_MILLIS = 1_500;

    private final BenchDatabase database;
    private final Map<GuardContender, Increments> increments;
    private final ExecutorService executor = Executors.newCachedThreadPool();

    private DisturbanceBench(BenchDatabase database, Map<GuardContender, Increments> increments) {
        this.database = database;
        this.increments = increments;
    }

    /** What takes turns. */
    private record Contest(GuardContender contender, Disturbance disturbance) {}

    /** Measures, writes the JSON, and prints the table last. */
    public static void main(String[] args) throws Exception {
        DisturbanceReport report;
        try (BenchDirectory directory = BenchDirectory.create();
                BenchDatabase database = BenchDatabase.start(directory.path(), THREADS + THREADS_OF_LOCKED + OWN)) {
            report = run(database, directory.path());
        }
        Path json = Path.of(System.getProperty("bench.disturbance.result", "target/results/disturbance.json"));
        Files.createDirectories(json.toAbsolutePath().getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        System.out.print(report.table());
    }

    private static DisturbanceReport run(BenchDatabase database, Path directory)
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
        DisturbanceBench bench = new DisturbanceBench(database, increments);
        try {
            List<Turn> turns = new ArrayList<>();
            for (Contest contest : contests) {
                bench.run(contest, WARM_UP_MILLIS);
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (Contest contest : contests) {
                    turns.add(bench.run(contest, TURN_MILLIS));
                    System.out.println(turns.get(turns.size() - 1));
                }
                Collections.rotate(contests, -1);
            }
            return DisturbanceReport.of(Environment.of(database, null, false), THREADS, turns);
        } finally {
            bench.executor.shutdownNow();
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

    private Turn run(Contest contest, long millis) throws InterruptedException, ExecutionException, SQLException {
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
        return new Turn(contest.contender, contest.disturbance, done * 1e3 / millis, database.deadlocks() - deadlocks);
    }

    private long rowsUntil(long end, Contest contest, double unknown) throws InterruptedException, ExecutionException {
        return sum(start(THREADS, () -> addUntil(end, contest.contender, 1, ROWS, unknown)));
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
        List<Future<Long>> adders = start(THREADS, () -> addUntil(end, contest.contender, 1, 1 + OWN, 0));
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

    private List<Future<Long>> start(int threads, Callable<Long> work) {
        List<Future<Long>> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
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
