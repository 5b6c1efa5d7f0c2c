package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Kills all applications at once, again and again, each time a little after they are ready: each of their lives must count. */
final class CrashLoop {

    private static final Duration LIFE = Duration.ofSeconds(2);

    private final SystemUnderTorture system;
    private final History history;
    private final SystemReport report;

    CrashLoop(SystemUnderTorture system, History history, SystemReport report) {
        this.system = system;
        this.history = history;
        this.report = report;
    }

    /** The applications run before and after. */
    void live(int lives) throws IOException, InterruptedException, SQLException {
        Tables tables = new Tables(system.postgres());
        ExecutorService starters = Executors.newFixedThreadPool(system.nodes().size());
        try {
            for (int life = 0; life < lives; life++) {
                system.nodes().forEach(node -> node.app().kill());
                long before = tables.applied();
                start(starters);
                TimeUnit.NANOSECONDS.sleep(LIFE.toNanos());
                long applied = tables.applied() - before;
                report.lived(applied);
                history.note("killed after a life of " + applied + " operations");
            }
        } finally {
            starters.shutdownNow();
        }
    }

    private void start(ExecutorService starters) throws IOException, InterruptedException {
        List<Callable<Start>> starts = new ArrayList<>();
        system.nodes().forEach(node -> starts.add(() -> node.app().start()));
        for (Future<Start> started : starters.invokeAll(starts)) {
            try {
                report.recovered(started.get(), true);
            } catch (ExecutionException e) {
                throw new IOException("an application did not start", e.getCause());
            }
        }
    }
}
