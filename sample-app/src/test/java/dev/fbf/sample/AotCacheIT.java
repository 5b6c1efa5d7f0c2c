package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** The packaged jar with an AOT cache of the JDK: classes that are loaded and linked already, from a training run. */
@Tag("nightly")
@EnabledForJreRange(min = JRE.JAVA_25)
class AotCacheIT {

    private static final String GENERATED = "-Dspring.aot.enabled=true";

    @TempDir
    private Path directory;

    @Test
    void countsWithTheCache() throws Exception {
        Path jar = extract();
        Path cache = directory.resolve("app.aot");
        try (RunningApp training = RunningApp.launchExtracted(
                jar,
                directory.resolve("data"),
                List.of("-XX:AOTCacheOutput=" + cache, GENERATED, "-Dspring.context.exit=onRefresh"))) {
            training.awaitEnd();
        }
        assertThat(cache).isNotEmptyFile();

        try (RunningApp app = RunningApp.launchExtracted(
                jar, directory.resolve("data"), List.of(GENERATED, "-XX:AOTMode=on", "-XX:AOTCache=" + cache))) {
            app.awaitStart();
            String before = app.get("/pages/home");
            app.post("/pages/home/views", "key");
            String after = app.get("/pages/home");
            app.post("/pages/home/views", "key");
            assertThat(app.get("/pages/home")).isEqualTo(after).isNotEqualTo(before);
        }
    }

    private Path extract() throws IOException, InterruptedException {
        Path extracted = directory.resolve("app");
        Process tools = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djarmode=tools",
                        "-jar",
                        RunningApp.JAR.toString(),
                        "extract",
                        "--destination",
                        extracted.toString())
                .inheritIO()
                .start();
        assertThat(tools.waitFor()).isZero();
        return extracted.resolve(RunningApp.JAR.getFileName());
    }
}
