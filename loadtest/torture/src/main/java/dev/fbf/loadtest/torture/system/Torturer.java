package dev.fbf.loadtest.torture.system;

import dev.fbf.core.filter.FilterSizing;
import dev.fbf.loadtest.harness.Waiting;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.pgwire.Interception;
import dev.fbf.loadtest.torture.pgwire.Interception.Moment;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Does to a system what a schedule says, each lane in a thread of its own. */
final class Torturer {

    /** A fault that waits for a COMMIT, for a group, or for a step of the application, waits so long at most. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** What waits for applications to come back waits longer. */
    private static final Duration RESTART = Duration.ofMinutes(1);

    private static final Duration LONGEST_SURGE = Duration.ofSeconds(40);

    /** So often must a filter be mistaken that it warns; see {@link dev.fbf.core.filter.FilterStats#overTarget()}. */
    private static final double OVER_TARGET = 1.2 * FilterSizing.DEFAULT.falsePositiveProbability();

    private static final int MOST_WAITING = 3;

    private final SystemUnderTorture system;
    private final Fleet fleet;
    private final Parameters parameters;
    private final History history;
    private final SystemReport report;

    /** Held for reading by what is done to the database and its network, for writing by a kill whose restart is left alone. */
    private final ReadWriteLock peace = new ReentrantReadWriteLock();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Torturer(SystemUnderTorture system, Fleet fleet, Parameters parameters, History history, SystemReport report) {
        this.system = system;
        this.fleet = fleet;
        this.parameters = parameters;
        this.history = history;
        this.report = report;
    }

    /** Returns when every fault has happened. */
    void torture(Schedule schedule) throws InterruptedException {
        int begin = history.millis();
        List<Thread> lanes = new ArrayList<>();
        for (Fault.Lane lane : Fault.Lane.values()) {
            Thread thread = new Thread(() -> run(schedule.of(lane), begin), "faults-" + lane);
            thread.setDaemon(true);
            thread.start();
            lanes.add(thread);
        }
        for (Thread lane : lanes) {
            lane.join();
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("the torture itself failed", thrown);
        }
        for (Node node : system.nodes()) {
            for (Moment moment : Moment.values()) {
                if (!awaitWaiting(node, moment, 0)) {
                    report.missed("at " + moment + ": nothing came by");
                }
            }
        }
    }

    private void run(List<Schedule.Event> events, int begin) {
        try {
            for (Schedule.Event event : events) {
                TimeUnit.MILLISECONDS.sleep(begin + event.millis() - history.millis());
                SplittableRandom random = new SplittableRandom(event.seed());
                if (failure.get() != null) {
                    return;
                }
                boolean leftAlone = isFollowedByARestart(event.fault()) && random.nextBoolean();
                Lock lock = leftAlone ? peace.writeLock() : peace.readLock();
                if (leftAlone || disturbsRestarts(event.fault())) {
                    lock.lock();
                    try {
                        happen(event.fault(), random, leftAlone);
                    } finally {
                        lock.unlock();
                    }
                } else {
                    happen(event.fault(), random, false);
                }
            }
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    /** After one on a full disk the disk is still full. */
    private static boolean isFollowedByARestart(Fault fault) {
        return fault.lane() == Fault.Lane.APP && !fault.fillsDisk();
    }

    private static boolean disturbsRestarts(Fault fault) {
        return fault.lane() == Fault.Lane.POSTGRES || fault.lane() == Fault.Lane.DATABASE_NETWORK;
    }

    private void happen(Fault fault, SplittableRandom random, boolean leftAlone)
            throws IOException, InterruptedException, SQLException {
        Node node = system.nodes().get(random.nextInt(system.nodes().size()));
        switch (fault) {
            case KILL_APP -> killApp(fault, node, leftAlone);
            case KILL_APP_IN_COMMIT -> killAppAt(Moment.COMMIT, fault, node, leftAlone);
            case KILL_APP_IN_GROUP -> killAppAt(Moment.GROUP, fault, node, leftAlone);
            case KILL_AT_STEP -> killAtStep(node, random, leftAlone);
            case KILL_APP_ON_FULL_DISK -> whileDiskIsFull(node, () -> killApp(fault, node, leftAlone));
            case KILL_BACKEND, TERMINATE_BACKEND -> endBackend(fault, random);
            case KILL_POSTMASTER -> {
                done(fault);
                system.postgres().kill();
                report.recoveredPostgres(system.postgres().start());
            }
            case KILL_POSTMASTER_IN_COMMIT -> killPostmasterAt(Moment.COMMIT, fault, node);
            case KILL_POSTMASTER_IN_GROUP -> killPostmasterAt(Moment.GROUP, fault, node);
            case STOP_POSTGRES_IMMEDIATELY -> {
                done(fault);
                system.postgres().stopImmediately();
                report.recoveredPostgres(system.postgres().start());
            }
            case CUT_BEFORE_COMMIT -> intercept(fault, node, Interception.cutBefore(Moment.COMMIT));
            case CUT_AFTER_COMMIT -> intercept(fault, node, Interception.cutAfter(Moment.COMMIT));
            case HOLD_COMMIT -> intercept(fault, node, Interception.hold(Moment.COMMIT, millis(random, 200, 8_000)));
            case HOLD_STATEMENT ->
                intercept(fault, node, Interception.hold(Moment.STATEMENT, millis(random, 200, 8_000)));
            case HOLD_WITNESS -> intercept(fault, node, Interception.hold(Moment.WITNESS, millis(random, 200, 8_000)));
            case DELAY_COMMIT ->
                intercept(fault, node, Interception.delay(Moment.COMMIT, millis(random, 3_500, 5_000)));
            case CUT_BEFORE_GROUP -> intercept(fault, node, Interception.cutBefore(Moment.GROUP));
            case CUT_AFTER_GROUP -> intercept(fault, node, Interception.cutAfter(Moment.GROUP));
            case HOLD_GROUP -> intercept(fault, node, Interception.hold(Moment.GROUP, millis(random, 200, 8_000)));
            case DELAY_GROUP -> intercept(fault, node, Interception.delay(Moment.GROUP, millis(random, 3_500, 5_000)));
            case FREEZE_DATABASE_LINK -> freeze(fault, node.database(), random);
            case CUT_DATABASE_LINKS -> {
                done(fault);
                node.database().cutAll();
            }
            case DELAY_DATABASE -> delay(fault, node.database(), millis(random, 20, 500), random);
            case CUT_CLIENT_LINK -> anyLink(system.front(), random, fault, Link::cut);
            case CUT_CLIENT_LINKS -> {
                done(fault);
                system.front().cutAll();
            }
            case FREEZE_CLIENT_LINK -> freeze(fault, system.front(), random);
            case LOSE_ANSWERS -> {
                done(fault);
                system.front().loseNextResponses(1 + random.nextInt(10));
            }
            case DELAY_CLIENTS -> delay(fault, system.front(), millis(random, 20, 500), random);
            case SURGE -> {
                awaitTraffic(node);
                done(fault);
                surge(() -> Waiting.sleep(millis(random, 4_000, 8_000)));
            }
            case SURGE_ON_FULL_DISK -> surgeOnFullDisk(node);
        }
    }

    private void surge(Deed meanwhile) throws IOException, InterruptedException {
        fleet.surge();
        try {
            meanwhile.happen();
        } finally {
            fleet.calmDown();
        }
    }

    /** Until the filter is mistaken too often for want of room, and then until it has grown. One that is large is waited for. */
    private void surgeOnFullDisk(Node node) throws IOException, InterruptedException {
        FilterTally tally = node.tally();
        if (!Waiting.until(() -> !tally.isLarge(), RESTART)) {
            report.missed(Fault.SURGE_ON_FULL_DISK + ": the filter stayed large");
            return;
        }
        awaitTraffic(node);
        surge(() -> {
            whileDiskIsFull(node, () -> Waiting.until(() -> tally.estimatedFpp() > OVER_TARGET, LONGEST_SURGE));
            if (tally.estimatedFpp() <= OVER_TARGET) {
                report.missed(Fault.SURGE_ON_FULL_DISK + ": the filter needed no room");
            } else if (Waiting.until(tally::isLarge, LONGEST_SURGE)) {
                done(Fault.SURGE_ON_FULL_DISK);
            } else {
                report.missed(Fault.SURGE_ON_FULL_DISK + ": the filter did not grow");
            }
        });
    }

    private static void whileDiskIsFull(Node node, Deed meanwhile) throws IOException, InterruptedException {
        node.disk().fill();
        try {
            meanwhile.happen();
        } finally {
            node.disk().free();
        }
    }

    private void killApp(Fault fault, Node node, boolean leftAlone) throws IOException, InterruptedException {
        done(fault);
        node.app().kill();
        restart(fault, node, leftAlone);
    }

    private void killAppAt(Moment moment, Fault fault, Node node, boolean leftAlone)
            throws IOException, InterruptedException {
        awaitTraffic(node, moment);
        at(moment, fault, node, () -> node.app().kill());
        restart(fault, node, leftAlone);
    }

    private void killPostmasterAt(Moment moment, Fault fault, Node node) throws IOException, InterruptedException {
        awaitTraffic(node, moment);
        at(moment, fault, node, () -> system.postgres().kill());
        system.postgres().kill();
        report.recoveredPostgres(system.postgres().start());
    }

    private void restart(Fault fault, Node node, boolean leftAlone) throws IOException, InterruptedException {
        if (leftAlone) {
            node.interceptions().suspend();
        }
        Start start = node.app().start();
        node.interceptions().resume();
        report.recovered(start, leftAlone);
        history.note("applied an operation " + start.untilApplied().toMillis() + " ms after the first response, "
                + start.applied().toMillis() + " ms after a start that followed " + fault);
    }

    private void killAtStep(Node node, SplittableRandom random, boolean leftAlone)
            throws IOException, InterruptedException {
        if (parameters.steps().isEmpty()) {
            return;
        }
        String step = parameters.steps().get(random.nextInt(parameters.steps().size()));
        awaitTraffic(node);
        node.app().arm(step);
        if (node.app().awaitEnd(TIMEOUT)) {
            done(Fault.KILL_AT_STEP);
            report.killedAt(step);
            history.note("killed at step " + step);
        } else {
            node.app().disarm();
            report.missed(Fault.KILL_AT_STEP + ": " + step);
            if (!node.app().awaitEnd(Duration.ZERO)) {
                return; // it never came by that step
            }
        }
        restart(Fault.KILL_AT_STEP, node, leftAlone);
    }

    /** Right after a restart there may be no backend yet: one is waited for. */
    private void endBackend(Fault fault, SplittableRandom random) throws InterruptedException {
        if (Waiting.until(() -> endOneBackend(fault, random), RESTART)) {
            done(fault);
        } else {
            report.missed(fault.toString());
        }
        system.postgres().awaitReady();
    }

    private boolean endOneBackend(Fault fault, SplittableRandom random) {
        try {
            List<Long> backends = system.postgres().backends();
            if (backends.isEmpty()) {
                return false;
            }
            // those in a transaction come first
            long pid = backends.get(random.nextInt((backends.size() + 1) / 2));
            return fault == Fault.KILL_BACKEND
                    ? system.postgres().killBackend(pid)
                    : system.postgres().terminateBackend(pid);
        } catch (SQLException e) {
            return false; // the server is just recovering
        }
    }

    /** Waits until transactions commit again, after whatever was before. */
    private void awaitTraffic(Node node) throws InterruptedException {
        awaitTraffic(node, Moment.COMMIT);
    }

    private static void awaitTraffic(Node node, Moment moment) throws InterruptedException {
        long before = passed(node, moment);
        Waiting.until(() -> passed(node, moment) > before, RESTART);
    }

    private static long passed(Node node, Moment moment) {
        return node.interceptions().passed().getOrDefault(moment, 0L);
    }

    /** Runs something just after what is of a moment was sent; at any time, if nothing of the kind comes by. */
    private void at(Moment moment, Fault fault, Node node, Runnable call) throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        Interception interception = Interception.callAfter(moment, () -> {
            call.run();
            called.countDown();
        });
        node.interceptions().add(interception);
        if (called.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            done(fault);
        } else if (node.interceptions().remove(interception)) {
            report.missed(fault.toString());
            call.run();
        } else {
            called.await();
            done(fault);
        }
    }

    private void intercept(Fault fault, Node node, Interception interception) throws InterruptedException {
        if (awaitWaiting(node, interception.moment(), MOST_WAITING - 1)) {
            node.interceptions().add(interception);
        } else {
            report.missed(fault.toString());
        }
    }

    /** Waits until no more than so many interceptions still wait for their moment; returns whether that came in time. */
    private static boolean awaitWaiting(Node node, Moment moment, int most) throws InterruptedException {
        return Waiting.until(() -> node.interceptions().waiting(moment) <= most, RESTART);
    }

    private void anyLink(TcpProxy proxy, SplittableRandom random, Fault fault, Consumer<Link> effect)
            throws InterruptedException {
        Waiting.until(() -> !proxy.links().isEmpty(), RESTART);
        List<Link> links = proxy.links();
        if (links.isEmpty()) {
            report.missed(fault.toString());
        } else {
            done(fault);
            effect.accept(links.get(random.nextInt(links.size())));
        }
    }

    private void freeze(Fault fault, TcpProxy proxy, SplittableRandom random) throws InterruptedException {
        Duration time = millis(random, 500, 6_000);
        boolean cut = random.nextBoolean();
        anyLink(proxy, random, fault, link -> {
            link.freeze();
            later(time, () -> {
                if (cut) {
                    link.cut();
                } else {
                    link.thaw();
                }
            });
        });
    }

    private void delay(Fault fault, TcpProxy proxy, Duration delay, SplittableRandom random)
            throws InterruptedException {
        done(fault);
        proxy.delayEachChunk(delay);
        Waiting.sleep(millis(random, 200, 1_500));
        proxy.delayEachChunk(Duration.ZERO);
    }

    private void done(Fault fault) {
        report.happened(fault);
        history.note(fault.toString());
    }

    private static Duration millis(SplittableRandom random, int least, int most) {
        return Duration.ofMillis(random.nextInt(least, most));
    }

    /** What is done while something else goes on. */
    @FunctionalInterface
    private interface Deed {
        void happen() throws IOException, InterruptedException;
    }

    private static void later(Duration time, Runnable effect) {
        Thread thread = new Thread(
                () -> {
                    try {
                        Waiting.sleep(time);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    effect.run();
                },
                "later");
        thread.setDaemon(true);
        thread.start();
    }
}
