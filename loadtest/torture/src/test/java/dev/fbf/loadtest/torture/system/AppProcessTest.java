package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.FixedPorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AppProcessTest {

    @TempDir
    Path directory;

    private AppProcess app;

    @BeforeEach
    void start() throws Exception {
        int port = FixedPorts.free();
        app = new AppProcess(
                new AppProcess.Command(
                        List.of("-XX:TieredStopAtLevel=1"),
                        KnownApp.class.getName(),
                        List.of(Integer.toString(port)),
                        port,
                        "/ready",
                        null),
                directory,
                "app");
        assertThat(app.start().ready()).isPositive();
    }

    @AfterEach
    void close() {
        app.close();
    }

    @Test
    void isReadyAgainAfterAKill() throws Exception {
        assertThat(app.isReady()).isTrue();
        app.kill();
        assertThat(app.isReady()).isFalse();
        app.start();
        assertThat(app.isReady()).isTrue();
    }

    @Test
    void endsAtTheStepThatItIsArmedFor() throws Exception {
        app.arm("another");
        assertThat(app.awaitEnd(Duration.ofMillis(200))).isFalse();

        app.arm("done");

        assertThat(app.awaitEnd(Duration.ofSeconds(10))).isTrue();
        assertThat(app.isReady()).isFalse();
        app.start();
        assertThat(app.isReady()).isTrue();
        assertThat(directory.resolve("app.step")).doesNotExist(); // it is armed no more
    }
}
