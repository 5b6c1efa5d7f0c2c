package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged jar, whose beans come from the code that Spring has generated ahead of time. */
@Tag("slow")
class SampleAppAotIT extends CountingContract {

    @TempDir
    private static Path data;

    private static RunningApp app;

    @BeforeAll
    static void start() throws IOException {
        app = RunningApp.launch(data, "-Dspring.aot.enabled=true", "-XX:TieredStopAtLevel=1");
        app.awaitStart();
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Override
    int port() throws IOException {
        return app.port();
    }

    @Test
    void startsFromGeneratedCode() throws IOException {
        assertThat(app.log()).contains("Starting AOT-processed SampleApplication");
    }
}
