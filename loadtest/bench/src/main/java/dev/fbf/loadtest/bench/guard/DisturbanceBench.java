package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS;
import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS_LEDGER;
import static dev.fbf.loadtest.bench.guard.GuardContender.UPDATE;

import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.spring.OperationUnavailableException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
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

    private static final List<GuardContender> CONTENDERS = List.of(COUNTERS, COUNTERS_LEDGER, UPDATE);
    private static final int ROWS = 1_000;
    private static final int LOCKED = 0;
    private static final int THREADS_OF_LOCKED = 4;
    private static final int OWN = 2;
    private static final double UNKNOWN_SHARE = 0.1;

    /** Of a server's statistics to be what it has counted. */
    private static final int STATISTICS_MILLIS = 1_500;

    /** What goes on while increments are counted, or own transactions beside them. */
    enum Disturbance {
        NONE("increments of 1,000 rows"),
        LOCKED_ROW("the same, while a transaction has locked another row, to which four more threads add"),
        UNKNOWN_NAMES("the same, beside as many of names that are not there that they are one in ten"),
        OWN_TRANSACTIONS("transactions of two threads over two rows, while all add to these rows in the other order");

        private final String description;

        Disturbance(String description) {
            this.description = description;
        }
    }

    /** What takes turns; what is compared with one another comes one after another. */
    private record Contest(GuardContender contender, Disturbance disturbance) {

        private static final List<Contest> ALL = List.of(
                new Contest(COUNTERS, Disturbance.NONE),
                new Contest(COUNTERS, Disturbance.LOCKED_ROW),
                new Contest(COUNTERS, Disturbance.UNKNOWN_NAMES),
                new Contest(COUNTERS, Disturbance.OWN_TRANSACTIONS),
                new Contest(UPDATE, Disturbance.OWN_TRANSACTIONS),
                new Contest(COUNTERS_LEDGER, Disturbance.NONE),
                new Contest(COUNTERS_LEDGER, Disturbance.LOCKED_ROW),
                new Contest(COUNTERS_LEDGER, Disturbance.UNKNOWN_NAMES),
                new Contest(COUNTERS_LEDGER, Disturbance.OWN_TRANSACTIONS));
    }

    /** How many of what is counted were done in a second, and how many deadlocks PostgreSQL found. */
    record Turn(GuardContender contender, Disturbance disturbance, double perSecond, long deadlocks) {}

    /** What a run found. */
    record Report(List<Turn> turns) {

        /** Each disturbance over none, and our groups over the unguarded UPDATE; PostgreSQL is to find no deadlock. */
        List<Target> targets() {
            List<Target> targets = new ArrayList<>();
            for (GuardContender ours : List.of(COUNTERS, COUNTERS_LEDGER)) {
                Contest none = new Contest(ours, Disturbance.NONE);
                add(targets, new Contest(ours, Disturbance.LOCKED_ROW), none, 0.9);
                add(targets, new Contest(ours, Disturbance.UNKNOWN_NAMES), none, 0.8);
                add(
                        targets,
                        new Contest(ours, Disturbance.OWN_TRANSACTIONS),
                        new Contest(UPDATE, Disturbance.OWN_TRANSACTIONS),
                        0.8);
            }
            return targets;
        }

        private void add(List<Target> targets, Contest one, Contest other, double bound) {
            String name = one.contender + " " + one.disturbance;
            targets.add(Target.atLeast(
                    name + " over " + other.contender + " " + other.disturbance, bound, median(one) / median(other)));
            double deadlocks = turnsOf(one).stream().mapToLong(Turn::deadlocks).sum();
            targets.add(Target.atMost(name + ": deadlocks", 0, deadlocks));
        }

        private double median(Contest contest) {
            return Rounds.median(turnsOf(contest).stream().map(Turn::perSecond).toList());
        }

        private List<Turn> turnsOf(Contest contest) {
            return turns.stream()
                    .filter(turn -> new Contest(turn.contender, turn.disturbance).equals(contest))
                    .toList();
        }

        String table() {
            return "\n"
                    + Table.of(Contest.ALL)
                            .text("", Contest::contender)
                            .text("", Contest::disturbance)
                            .number("median/s", "%,.0f", this::median)
                            .text("of", contest -> contest.disturbance.description);
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        int threads = settings.atLeastOne("threads");
        Path directory = settings.directory();
        Directories.delete(directory);
        ExecutorService executor = Executors.newCachedThreadPool();
        try (BenchDatabase database = BenchDatabase.start(
                settings.postgres(), directory, threads + THREADS_OF_LOCKED + OWN, ROWS, CONTENDERS)) {
            Map<GuardContender, Increments> increments = new EnumMap<>(GuardContender.class);
            for (GuardContender contender : CONTENDERS) {
                increments.put(contender, database.application(contender, RedisServers.NONE, directory, Map.of()));
            }
            Turns turns = new Turns(database, increments, executor, threads);
            for (Contest contest : Contest.ALL) {
                turns.run(contest, settings.integer("warmUpMillis"));
            }
            Report report = new Report(new ArrayList<>());
            for (Contest contest : Rounds.of(settings.atLeastOne("rounds"), Contest.ALL)) {
                Turn turn = turns.run(contest, settings.integer("millis"));
                System.out.println(turn);
                report.turns.add(turn);
            }
            return new Findings(
                    report, report.table(), report.targets(), List.of(), database.servers(RedisServers.NONE));
        } finally {
            executor.shutdownNow();
        }
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
            try (PreparedStatement update = connection.prepareStatement(contender.update())) {
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
