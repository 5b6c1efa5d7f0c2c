package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import dev.fbf.loadtest.torture.wire.Interception;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One fault, at work on one node of a system on PostgreSQL. */
final class Happening {

    /** A fault that waits for a COMMIT, for a group, or for a step of the application, waits so long at most. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int MOST_WAITING = 3;

    private final SqlSystem system;
    private final Fleet fleet;
    private final Fault fault;
    private final SplittableRandom random;
    private final Node node;

    /** Whether nothing else is done to the system until the application that it kills is back. */
    final boolean leftAlone;

    Happening(SqlSystem system, Fleet fleet, Schedule.Event event) {
        this.system = system;
        this.fleet = fleet;
        fault = event.fault();
        random = new SplittableRandom(event.seed());
        leftAlone = fault.lane == Fault.Lane.APP && random.nextBoolean();
        node = system.nodes.get(random.nextInt(system.nodes.size()));
    }

    /** What is done while something else goes on. */
    @FunctionalInterface
    private interface Deed {
        void happen() throws IOException, InterruptedException;
    }

    boolean disturbsRestarts() {
        return fault.lane == Fault.Lane.SERVER || fault.lane == Fault.Lane.DATABASE_NETWORK;
    }

    void happen() throws IOException, InterruptedException, SQLException {
        switch (fault) {
            case KILL_APP -> killApp();
            case KILL_APP_IN_COMMIT, KILL_APP_IN_GROUP -> {
                atItsMoment(() -> node.app().kill());
                restart();
            }
            case KILL_AT_STEP -> killAtStep();
            case KILL_APP_TWICE -> {
                now(node.app()::kill);
                node.app().launch();
                Waiting.sleep(millis(0, 6_000));
                killApp();
            }
            case KILL_BACKEND, TERMINATE_BACKEND -> endBackend();
            case KILL_SERVER, STOP_SERVER -> {
                now(fault == Fault.KILL_SERVER ? system.server::kill : system.server::stopNow);
                system.server.start();
            }
            case KILL_SERVER_IN_COMMIT, KILL_SERVER_IN_GROUP -> {
                atItsMoment(system.server::kill);
                system.server.start();
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
                done();
                fleet.surge();
                Waiting.sleep(millis(4_000, 8_000));
                fleet.calmDown();
            }
            default -> throw new IllegalArgumentException("fault=" + fault);
        }
    }

    private void done() {
        system.report.count(Report.FAULTS, fault);
        system.history.note(fault.toString());
    }

    private void now(Deed deed) throws IOException, InterruptedException {
        done();
        deed.happen();
    }

    private void missed(String why) {
        system.report.count(Report.MISSED, fault + why);
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(random.nextInt(least, most));
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
        system.report.started(start, leftAlone);
        system.history.note("applied an operation " + start.untilApplied().toMillis() + " ms after the first response");
    }

    private void killAtStep() throws IOException, InterruptedException {
        String step = system.steps.get(random.nextInt(system.steps.size())).name();
        awaitTraffic();
        node.app().arm(step);
        if (node.app().awaitEnd(TIMEOUT)) {
            done();
            system.report.count(Report.STEPS, step);
            system.history.note("killed at step " + step);
        } else {
            node.app().disarm();
            missed("");
            system.report.count(Report.STEPS_MISSED, step);
            if (!node.app().awaitEnd(Duration.ZERO)) {
                return; // it never came by that step
            }
        }
        restart();
    }

    /** Right after a restart there may be no backend yet: one is waited for. */
    private void endBackend() throws InterruptedException {
        if (Waiting.until(this::endOneBackend, SqlSystem.RESTART)) {
            done();
        } else {
            missed("");
        }
        system.server.awaitReady();
    }

    private boolean endOneBackend() {
        try {
            List<Long> backends = system.server.backends();
            if (backends.isEmpty()) {
                return false;
            }
            // those in a transaction come first
            long pid = backends.get(random.nextInt((backends.size() + 1) / 2));
            return fault == Fault.KILL_BACKEND ? system.server.killBackend(pid) : system.server.terminateBackend(pid);
        } catch (SQLException e) {
            return false; // the server is just recovering
        }
    }

    /** Waits until transactions come to the fault's moment again, after whatever was before. */
    private void awaitTraffic() throws InterruptedException {
        long before = node.interceptions().passed(fault.moment);
        Waiting.until(() -> node.interceptions().passed(fault.moment) > before, SqlSystem.RESTART);
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
        if (Waiting.until(() -> node.interceptions().waiting(fault.moment) < MOST_WAITING, SqlSystem.RESTART)) {
            node.interceptions().add(new Interception(fault.moment, fault.action, time));
        } else {
            missed("");
        }
    }

    private void anyLink(TcpProxy proxy, Consumer<Link> effect) throws InterruptedException {
        Waiting.until(() -> !proxy.links().isEmpty(), SqlSystem.RESTART);
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
