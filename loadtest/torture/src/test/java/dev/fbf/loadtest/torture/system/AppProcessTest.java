package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.FixedPorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AppProcessTest {

    @TempDir
    Path directory;

    @Test
    void isReadyAgainAfterAKillAndEndsAtTheStepThatItIsArmedFor() throws Exception {
        int port = FixedPorts.free();
        try (AppProcess app = new AppProcess(
                KnownApp.class, port, directory.resolve("app.log"), List.of(), List.of(Integer.toString(port)))) {
            AppProcess.Start start = app.start();
            assertThat(start.firstResponse()).isPositive().isLessThanOrEqualTo(start.applied());
            assertThat(app.isReady()).isTrue();

            app.kill();
            assertThat(app.isReady()).isFalse();
            app.start();
            assertThat(app.isReady()).isTrue();

            app.arm("another");
            assertThat(app.awaitEnd(Duration.ZERO)).isFalse();
            app.arm("done");
            assertThat(app.awaitEnd(Duration.ofSeconds(10))).isTrue();
            assertThat(app.isReady()).isFalse();

            app.start();
            assertThat(app.isReady()).isTrue();
            assertThat(directory.resolve("app.log.step")).doesNotExist(); // it is armed no more
        }
    }
}
