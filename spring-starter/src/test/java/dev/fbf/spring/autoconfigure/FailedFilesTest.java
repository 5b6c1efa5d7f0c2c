package dev.fbf.spring.autoconfigure;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.filter.OpenFilter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Files that can no longer be relied on while an application runs: what its callers get, and its health. */
class FailedFilesTest extends ProcessesTest {

    /** A sample each 100 ms or so. */
    private static final FilterSizing SHORT_WINDOW = new FilterSizing(500, Duration.ofSeconds(30), 1e-9);

    @Test
    void stopTheNodeWhenAFiltersFileIsDeletedAndTheNextStartHoldsBack() throws Exception {
        try (CountingApp app = start(Mode.FILTER)) {
            app.counter.count("a");

            Files.delete(directory.resolve("counter~1.fbf"));

            assertStopped(app, "counter~1.fbf: the file was deleted or moved while it was in use");
        }
        try (CountingApp app = start(Mode.FILTER)) {
            assertRefused(app, "a", "operations are held back");
            assertRefused(app, "new", "operations are held back");
        }
        assertThat(counted.value()).isEqualTo(1);
    }

    /** Its filter may not grow, as if the disk were full, and takes nearly each new operation for an applied one. */
    @Test
    void refuseWhatAnOverfullFilterFinds() throws Exception {
        try (CountingApp app = start(Mode.FILTER)) {
            overfill(app);

            await().untilAsserted(() -> {
                Health health = Operator.health(app);
                assertThat(health.getStatus()).isEqualTo(FbfHealthIndicator.DEGRADED);
                assertThat(health.getDetails().get("failures"))
                        .asString()
                        .contains("has about 1 false positive in 1 new operations")
                        .contains("another arena would exceed the filter's limit of ")
                        .contains("Operations that it finds are refused");
            });
            assertRefused(app, "a", "the filter is overfull");
        }
        assertThat(counted.value()).isZero();
    }

    private static void overfill(CountingApp app) {
        app.counter.pass("first"); // opens the scope
        ForgetfulBloomFilter filter = OpenFilter.of(app.status.all().get(0));
        for (long i = 0; i < 100_000; i++) {
            filter.put(new OperationId(i, ~i));
        }
    }

    private static void assertStopped(CountingApp app, String why) throws Exception {
        await().until(() -> Operator.health(app).getStatus().equals(Status.DOWN));
        assertThat(Operator.health(app).getDetails().get("failures")).asString().contains(why);
        assertRefused(app, "a", "a file of fbf has failed");
        assertRefused(app, "b", "a file of fbf has failed");
    }

    private static void assertRefused(CountingApp app, String key, String why) {
        assertUnavailable(() -> app.counter.count(key)).withMessageContaining(why);
    }

    private CountingApp start(Mode mode) {
        return start(mode, directory);
    }

    private CountingApp start(Mode mode, Path files) {
        return CountingApp.start(
                dataSource,
                files,
                "fbf.mode=" + mode,
                "fbf.fingerprint.enabled=false",
                "fbf.retry-window=" + SHORT_WINDOW.retryWindow(),
                "fbf.expected-operations-per-second=" + SHORT_WINDOW.expectedOperationsPerSecond(),
                "fbf.max-size=" + SHORT_WINDOW.plan().bytes() + "B");
    }
}
