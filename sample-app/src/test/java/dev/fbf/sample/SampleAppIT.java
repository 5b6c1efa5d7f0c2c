package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged jar, started as a user starts it: a process of its own and, the first time, not one JVM flag. */
@Tag("slow")
class SampleAppIT {

    @TempDir
    Path data;

    @AfterEach
    void leaveNoServerBehind() throws IOException {
        RunningApp.postgresOn(data).ifPresent(ProcessHandle::destroyForcibly);
    }

    /** Those for a short life, and those that deny what JDKs to come will deny, on a JDK that has them. */
    private static String[] flags() {
        String shortLife = "-XX:TieredStopAtLevel=1";
        return Runtime.version().feature() < 24
                ? new String[] {shortLife}
                : new String[] {shortLife, "--sun-misc-unsafe-memory-access=deny", "--illegal-native-access=deny"};
    }

    @Test
    void itsCountsSurviveTheKillOfTheAppAndItCleansUpAfterItself() throws Exception {
        ProcessHandle leftBehind;
        try (RunningApp app = RunningApp.launch(data)) {
            app.awaitStart();
            assertThat(app.get("/")).contains("<title>");
            app.post("/pages/home/views", "first");
            app.post("/pages/home/views", "second");
            app.post("/unguarded/pages/home/views", "first");
            leftBehind = app.postgres();
            assertThat(app.log()).doesNotContain("WARNING: ", "chronicle");
            app.kill();
        }
        assertThat(leftBehind.info().command()).isPresent();

        ProcessHandle postgres;
        try (RunningApp app = RunningApp.launch(data, flags())) {
            app.awaitStart();
            assertThat(leftBehind.info().command()).isEmpty();
            assertThat(app.get("/pages/home")).isEqualTo("{\"page\":\"home\",\"views\":2,\"unguardedViews\":1}");
            postgres = app.postgres();
        }
        assertThat(postgres.info().command()).isEmpty();
    }
}
