package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** The packaged jar with an AOT cache of the JDK: classes that are loaded and linked already, from a training run. */
@Tag("nightly")
@EnabledForJreRange(min = JRE.JAVA_25)
class AotCacheIT {

    private static final Pattern START = Pattern.compile("process running for ([0-9.]+)\\)");
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

        double plain = secondsToStart(jar, List.of());
        double generated = secondsToStart(jar, List.of(GENERATED));
        double cached = secondsToStart(jar, List.of(GENERATED, "-XX:AOTMode=on", "-XX:AOTCache=" + cache));

        System.out.printf(
                Locale.ROOT,
                "Start of the sample app: 1; with Spring AOT %.2f; with Spring AOT and the JDK's AOT cache %.2f%n",
                generated / plain,
                cached / plain);
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

    private double secondsToStart(Path jar, List<String> flags) throws Exception {
        try (RunningApp app = RunningApp.launchExtracted(jar, directory.resolve("data"), flags)) {
            app.awaitStart();
            String before = app.get("/pages/home");
            String key = "start " + System.nanoTime();
            app.post("/pages/home/views", key);
            String after = app.get("/pages/home");
            app.post("/pages/home/views", key);
            assertThat(app.get("/pages/home")).isEqualTo(after).isNotEqualTo(before);
            Matcher start = START.matcher(app.log());
            assertThat(start.find()).as(app.log()).isTrue();
            return Double.parseDouble(start.group(1));
        }
    }
}
