package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes that share a ledger, clients of three makers, and answers that do not arrive. */
class MixedClientsIT {

    private static final double LOST_RESPONSES = 0.1;
    private static final int THREADS_EACH = 4;

    @TempDir
    Path data;

    @AfterEach
    void leaveNoServerBehind() throws IOException {
        RunningApp.postgresOn(data.resolve("a")).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void eachOperationCountsOnceWhoeverSendsItAndWhereverItsRetryArrives() throws Exception {
        try (RunningApp a = launch("a", Stream.of());
                RunningApp b = launch("b", a.database())) {
            a.loseResponses(LOST_RESPONSES);
            b.loseResponses(LOST_RESPONSES);
            AnyNode nodes = new AnyNode(a.uri("/"), b.uri("/"));

            List<Callable<Void>> work = new ArrayList<>();
            work.addAll(operations(200, "ours", new FbfClient(nodes)));
            work.addAll(operations(200, "bare-token", new BareTokenClient(nodes)));
            work.addAll(operations(40, "curl", new CurlClient(nodes)));
            atOnce(work);

            assertThat(a.views("ours")).isEqualTo(200);
            assertThat(a.views("bare-token")).isEqualTo(200);
            assertThat(a.views("curl")).isEqualTo(40);
            assertThat(a.responsesLost()).isPositive();
            assertThat(b.responsesLost()).isPositive();
        }
    }

    private RunningApp launch(String name, Stream<String> database) throws IOException {
        String[] properties =
                Stream.concat(Stream.of("fbf.mode=ledger"), database).toArray(String[]::new);
        RunningApp app = RunningApp.launch(Files.createDirectory(data.resolve(name)), properties);
        app.awaitStart();
        return app;
    }

    private static List<Callable<Void>> operations(int count, String page, PageClient client) {
        Callable<Void> operation = () -> {
            client.view(page);
            return null;
        };
        return Collections.nCopies(count, operation);
    }

    private static void atOnce(List<Callable<Void>> work) throws Exception {
        List<Callable<Void>> mixed = new ArrayList<>(work);
        Collections.shuffle(mixed);
        ExecutorService threads = Executors.newFixedThreadPool(3 * THREADS_EACH);
        try {
            for (Future<Void> done : threads.invokeAll(mixed)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
