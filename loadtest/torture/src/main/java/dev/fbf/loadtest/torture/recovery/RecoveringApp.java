package dev.fbf.loadtest.torture.recovery;

import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Http;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.loadtest.torture.recovery.RecoveryReport.Turn;
import dev.fbf.loadtest.torture.system.AppProcess;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import dev.fbf.loadtest.torture.system.Database;
import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A contender's application, which runs only while it is its turn: an idle one beside it would be in the way; and clients that
 * send one operation after the other, each on a thread of its own, until it is killed.
 */
final class RecoveringApp implements AutoCloseable {

    private static final int CLIENTS = 16;
    private static final int MOST_KILLS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final AtomicInteger answered = new AtomicInteger();
    private final int port = FixedPorts.free();
    private final Contender contender;
    private final Database database;
    private final AppProcess process;

    /** With a filter of the contender's size, if that is not the default, which is made first. */
    RecoveringApp(Contender contender, Database database, Path directory, List<String> jvm) throws Exception {
        this.contender = contender;
        this.database = database;
        Path files = directory.resolve("fbf").toAbsolutePath();
        List<String> arguments = new ArrayList<>(List.of("--logging.level.dev.fbf.db.witness.Settler=debug"));
        if (contender.isGuarded()) {
            arguments.addAll(List.of("--torture.counters=true", "--fbf.mode=" + contender.mode()));
        } else {
            arguments.addAll(List.of("--fbf.enabled=false", "--torture.transactional=" + contender.transactional()));
        }
        if (contender.filterMebibytes() > 0) {
            String scope = "--fbf.scopes[" + TortureApplication.SCOPE + "].";
            FilterFile file = FilterFile.make(files, TortureApplication.SCOPE, contender.filterMebibytes());
            arguments.add(scope + "max-size=" + file.plan().bytes() + "B");
            arguments.add(scope + "expected-operations-per-second=" + file.operationsPerSecond());
        }
        process = AppProcess.of(
                        port,
                        directory.resolve("app.log"),
                        jvm,
                        database.server().url(),
                        files,
                        arguments)
                .asking(contender.path(0));
    }

    /**
     * Starts the application, and kills it amid requests and starts it again, so many times.
     *
     * @throws IllegalStateException if it is ready and then refuses an operation that was under way at the kill
     */
    List<Turn> turns(int kills, Duration traffic) throws Exception {
        List<Turn> turns = new ArrayList<>();
        database.forgetNodes(); // the other contenders', which are not running
        process.start();
        for (int kill = 0; kill < kills; kill++) {
            turns.add(turnWithSomethingToSettle(traffic));
        }
        process.kill();
        return turns;
    }

    /** A kill between all transactions tells nothing of recovery: it is repeated. */
    private Turn turnWithSomethingToSettle(Duration traffic) throws Exception {
        Turn turn = turn(traffic);
        for (int repeated = 1; repeated < MOST_KILLS && contender.settles() && turn.settled() == 0; repeated++) {
            turn = turn(traffic);
        }
        return turn;
    }

    private Turn turn(Duration traffic) throws Exception {
        List<Future<HttpRequest>> calls = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            calls.add(clients.submit(this::callUntilKilled));
        }
        answered.set(0);
        Waiting.until(() -> answered.get() >= CLIENTS, TIMEOUT); // a cold application has nothing to settle yet
        Waiting.sleep(traffic);
        process.kill();
        List<HttpRequest> unanswered = new ArrayList<>();
        for (Future<HttpRequest> call : calls) {
            unanswered.add(call.get());
        }
        long settledBefore = settled();
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        Start start = process.start();
        Duration processorTime = process.processorTime();
        for (HttpRequest request : unanswered) {
            requireSuccess(
                    request, Http.status(request, TIMEOUT)); // none is told to wait: what was in doubt is settled
        }
        return new Turn(
                contender.name(),
                seconds(start.firstResponse()),
                seconds(start.applied()),
                seconds(processorTime),
                start.refusedWhileReady(),
                unanswered.size(),
                Math.toIntExact(settled() - settledBefore),
                load);
    }

    /** Returns the request that was not answered. */
    private HttpRequest callUntilKilled() throws InterruptedException {
        while (true) {
            String path = contender.path(ThreadLocalRandom.current().nextInt(contender.counters()));
            HttpRequest request = Http.post(port, path, UUID.randomUUID().toString());
            int status = Http.status(request, TIMEOUT);
            if (status == 0) {
                return request;
            }
            requireSuccess(request, status);
            answered.incrementAndGet();
        }
    }

    private void requireSuccess(HttpRequest request, int status) {
        if (status != 200) {
            throw new IllegalStateException(
                    contender.name() + " is ready and answers " + request.uri() + " with " + status);
        }
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }

    private long settled() {
        return process.logged(line -> line.contains(" was in doubt: settled as "));
    }

    @Override
    public void close() {
        process.close();
        clients.shutdownNow();
    }
}
