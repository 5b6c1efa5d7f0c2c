package dev.fbf.loadtest.torture.system;

import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.agent.Step;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.pgwire.Interception;
import dev.fbf.loadtest.torture.pgwire.Interception.Moment;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;

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
    private final List<Step> steps;
    private final History history;
    private final Report report;

    /** Held for reading by what is done to the database and its network, for writing by a kill whose restart is left alone. */
    private final ReadWriteLock peace = new ReentrantReadWriteLock();

    /** What an application's filter takes before it grows. */
    private final long plannedBytes;

    /** @param steps at which an agent can kill the applications */
    Torturer(SystemUnderTorture system, Fleet fleet, List<Step> steps) throws InterruptedException {
        this.system = system;
        this.fleet = fleet;
        this.steps = steps;
        this.history = system.history;
        this.report = system.report;
        plannedBytes = system.nodes.get(0).filter().orElseThrow().bytes();
    }

    /** Returns when every fault has happened. */
    void torture(Schedule schedule) throws InterruptedException {
        schedule.run(history, event -> new Happening(event).happenInPeace());
        for (Node node : system.nodes) {
            for (Moment moment : Moment.values()) {
                if (!awaitWaiting(node, moment, 0)) {
                    report.count(Report.MISSED, "at " + moment + ": nothing came by");
                }
            }
        }
    }

    /** Waits until no more than so many interceptions still wait for their moment; returns whether that came in time. */
    private static boolean awaitWaiting(Node node, Moment moment, int most) throws InterruptedException {
        return Waiting.until(() -> node.interceptions().waiting(moment) <= most, RESTART);
    }

    /** What is done while something else goes on. */
    @FunctionalInterface
    private interface Deed {
        void happen() throws IOException, InterruptedException;
    }

    /** One fault, at work on one node. */
    private final class Happening {

        private final Fault fault;
        private final SplittableRandom random;

        /** Whether nothing else is done to the system until the application that it kills is back. */
        private final boolean leftAlone;

        private final Node node;

        Happening(Schedule.Event event) {
            fault = event.fault();
            random = new SplittableRandom(event.seed());
            // after a kill on a full disk the disk is still full
            leftAlone = fault.lane == Fault.Lane.APP && !fault.fillsDisk() && random.nextBoolean();
            node = system.nodes.get(random.nextInt(system.nodes.size()));
        }

        void happenInPeace() throws IOException, InterruptedException, SQLException {
            boolean disturbsRestarts = fault.lane == Fault.Lane.POSTGRES || fault.lane == Fault.Lane.DATABASE_NETWORK;
            if (!leftAlone && !disturbsRestarts) {
                happen();
                return;
            }
            Lock lock = leftAlone ? peace.writeLock() : peace.readLock();
            lock.lock();
            try {
                happen();
            } finally {
                lock.unlock();
            }
        }

        private void happen() throws IOException, InterruptedException, SQLException {
            switch (fault) {
                case KILL_APP -> killApp();
                case KILL_APP_IN_COMMIT, KILL_APP_IN_GROUP -> {
                    atItsMoment(() -> node.app().kill());
                    restart();
                }
                case KILL_AT_STEP -> killAtStep();
                case KILL_APP_ON_FULL_DISK -> whileDiskIsFull(this::killApp);
                case KILL_BACKEND, TERMINATE_BACKEND -> endBackend();
                case KILL_POSTMASTER -> now(this::restartPostgres);
                case KILL_POSTMASTER_IN_COMMIT, KILL_POSTMASTER_IN_GROUP -> {
                    atItsMoment(() -> system.postgres.kill());
                    restartPostgres();
                }
                case STOP_POSTGRES_IMMEDIATELY -> {
                    now(system.postgres::stopImmediately);
                    system.postgres.start();
                }
                case CUT_BEFORE_COMMIT, CUT_AFTER_COMMIT, CUT_BEFORE_GROUP, CUT_AFTER_GROUP -> intercept(Duration.ZERO);
                case HOLD_COMMIT, HOLD_STATEMENT, HOLD_WITNESS, HOLD_GROUP -> intercept(millis(200, 8_000));
                case DELAY_COMMIT, DELAY_GROUP -> intercept(millis(3_500, 5_000));
                case FREEZE_DATABASE_LINK -> freeze(node.database());
                case CUT_DATABASE_LINKS -> now(node.database()::cutAll);
                case DELAY_DATABASE -> delay(node.database());
                case CUT_CLIENT_LINK -> anyLink(system.front, Link::cut);
                case CUT_CLIENT_LINKS -> now(system.front::cutAll);
                case FREEZE_CLIENT_LINK -> freeze(system.front);
                case LOSE_ANSWERS -> now(() -> system.front.loseNextResponses(1 + random.nextInt(10)));
                case DELAY_CLIENTS -> delay(system.front);
                case SURGE -> {
                    awaitTraffic();
                    now(() -> surge(() -> Waiting.sleep(millis(4_000, 8_000))));
                }
                case SURGE_ON_FULL_DISK -> surgeOnFullDisk();
                default -> throw new IllegalArgumentException("fault=" + fault);
            }
        }

        private void done() {
            report.count(Report.FAULTS, fault);
            history.note(fault.toString());
        }

        private void now(Deed deed) throws IOException, InterruptedException {
            done();
            deed.happen();
        }

        private void missed(String why) {
            report.count(Report.MISSED, fault + why);
        }

        private Duration millis(int least, int most) {
            return Duration.ofMillis(random.nextInt(least, most));
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
        private void surgeOnFullDisk() throws IOException, InterruptedException {
            if (!Waiting.until(() -> !isLarge(), RESTART)) {
                missed(": the filter stayed large");
                return;
            }
            awaitTraffic();
            surge(() -> {
                whileDiskIsFull(() -> Waiting.until(this::isOverTarget, LONGEST_SURGE));
                if (!isOverTarget() && !isLarge()) {
                    missed(": the filter needed no room");
                } else if (Waiting.until(this::isLarge, LONGEST_SURGE)) {
                    done();
                } else {
                    missed(": the filter did not grow");
                }
            });
        }

        private boolean isLarge() throws InterruptedException {
            return node.filter().filter(filter -> filter.bytes() > plannedBytes).isPresent();
        }

        private boolean isOverTarget() throws InterruptedException {
            return node.filter()
                    .filter(filter -> filter.estimatedFpp() > OVER_TARGET)
                    .isPresent();
        }

        private void whileDiskIsFull(Deed meanwhile) throws IOException, InterruptedException {
            node.disk().fill();
            try {
                meanwhile.happen();
            } finally {
                node.disk().free();
            }
        }

        private void killApp() throws IOException, InterruptedException {
            now(node.app()::kill);
            restart();
        }

        private void restart() throws IOException, InterruptedException {
            if (leftAlone) {
                node.interceptions().suspend();
            }
            Start start = node.app().start();
            node.interceptions().resume();
            report.started(start, leftAlone);
            history.note("applied an operation " + start.untilApplied().toMillis() + " ms after the first response, "
                    + start.applied().toMillis() + " ms after a start that followed " + fault);
        }

        private void killAtStep() throws IOException, InterruptedException {
            String step = steps.get(random.nextInt(steps.size())).name();
            awaitTraffic();
            node.app().arm(step);
            if (node.app().awaitEnd(TIMEOUT)) {
                done();
                report.count(Report.STEPS, step);
                history.note("killed at step " + step);
            } else {
                node.app().disarm();
                missed(": " + step);
                if (!node.app().awaitEnd(Duration.ZERO)) {
                    return; // it never came by that step
                }
            }
            restart();
        }

        private void restartPostgres() throws IOException, InterruptedException {
            system.postgres.kill();
            system.postgres.start();
        }

        /** Right after a restart there may be no backend yet: one is waited for. */
        private void endBackend() throws InterruptedException {
            if (Waiting.until(this::endOneBackend, RESTART)) {
                done();
            } else {
                missed("");
            }
            system.postgres.awaitReady();
        }

        private boolean endOneBackend() {
            try {
                List<Long> backends = system.postgres.backends();
                if (backends.isEmpty()) {
                    return false;
                }
                // those in a transaction come first
                long pid = backends.get(random.nextInt((backends.size() + 1) / 2));
                return fault == Fault.KILL_BACKEND
                        ? system.postgres.killBackend(pid)
                        : system.postgres.terminateBackend(pid);
            } catch (SQLException e) {
                return false; // the server is just recovering
            }
        }

        /** Waits until transactions come to the fault's moment again, after whatever was before. */
        private void awaitTraffic() throws InterruptedException {
            long before = node.interceptions().passed(fault.moment);
            Waiting.until(() -> node.interceptions().passed(fault.moment) > before, RESTART);
        }

        /** Runs something just after what is of the fault's moment was sent; at any time, if nothing of the kind comes by. */
        private void atItsMoment(Runnable call) throws InterruptedException {
            awaitTraffic();
            CountDownLatch called = new CountDownLatch(1);
            Interception interception = Interception.callAfter(fault.moment, () -> {
                call.run();
                called.countDown();
            });
            node.interceptions().add(interception);
            if (called.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                done();
            } else if (node.interceptions().remove(interception)) {
                missed("");
                call.run();
            } else {
                called.await();
                done();
            }
        }

        private void intercept(Duration time) throws InterruptedException {
            if (awaitWaiting(node, fault.moment, MOST_WAITING - 1)) {
                node.interceptions().add(new Interception(fault.moment, fault.action, time));
            } else {
                missed("");
            }
        }

        private void anyLink(TcpProxy proxy, Consumer<Link> effect) throws InterruptedException {
            Waiting.until(() -> !proxy.links().isEmpty(), RESTART);
            List<Link> links = proxy.links();
            if (links.isEmpty()) {
                missed("");
            } else {
                done();
                effect.accept(links.get(random.nextInt(links.size())));
            }
        }

        private void freeze(TcpProxy proxy) throws InterruptedException {
            Duration time = millis(500, 6_000);
            boolean cut = random.nextBoolean();
            anyLink(proxy, link -> {
                link.freeze();
                CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS)
                        .execute(cut ? link::cut : link::thaw);
            });
        }

        private void delay(TcpProxy proxy) throws InterruptedException {
            Duration each = millis(20, 500);
            done();
            proxy.delayEachChunk(each);
            Waiting.sleep(millis(200, 1_500));
            proxy.delayEachChunk(Duration.ZERO);
        }
    }
}
