package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ResultTest {

    private static final Instant BEGIN = Instant.parse("2026-01-02T03:04:05Z");

    private final Run.Findings findings = new Run.Findings(
            Map.of("perSecond", 17),
            "own table\n",
            List.of(Target.atLeast("a rate", 2, 2.5), Target.atMost("a time", 1, 3)),
            List.of("it is lost"),
            Map.of("postgres", "PostgreSQL 0"));

    @Test
    void hasTheSameShapeForAllRuns(@TempDir Path directory) throws Exception {
        result(0).write(directory);

        JsonNode json = JsonMapper.shared().readTree(Files.readString(directory.resolve("known.json")));
        assertThat(json.propertyNames())
                .containsExactly(
                        "run",
                        "length",
                        "date",
                        "commit",
                        "environment",
                        "machine",
                        "settings",
                        "targets",
                        "failures",
                        "figures");
        assertThat(json.at("/date").asString()).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(json.at("/commit").asString()).matches("[0-9a-f]{7,}(-dirty)?|unknown");
        assertThat(json.at("/environment").propertyNames()).containsExactly("system", "cores", "jdk", "postgres");
        assertThat(json.at("/machine/syncMicros").asDouble()).isEqualTo(80);
        assertThat(json.at("/settings/rate").asString()).isEqualTo("10");
        assertThat(json.at("/targets/1/wanted").asString()).isEqualTo("≤ 1.00");
        assertThat(json.at("/targets/1/measured").asDouble()).isEqualTo(3);
        assertThat(json.at("/targets/1/met").asBoolean()).isFalse();
        assertThat(json.at("/failures/0").asString()).isEqualTo("it is lost");
        assertThat(json.at("/figures/perSecond").asInt()).isEqualTo(17);
    }

    @Test
    void theTableEndsWithTargetsAndFailures() throws Exception {
        assertThat(result(0).table(findings.table()))
                .startsWith("own table\n")
                .contains("PostgreSQL 0", "steal 0.0 %; a sync of the disk 80 µs, before 90 µs")
                .containsPattern("a rate +≥ 2.00 +2.50 +met\n.*a time +≤ 1.00 +3.00 +MISSED")
                .doesNotContain("WARNING")
                .endsWith("FAILED it is lost\n");
    }

    @Test
    void theTableWarnsOfADisturbedMachine() throws Exception {
        assertThat(result(0.25).table(""))
                .contains("WARNING times and rates are worthless; other tenants took 25 % of the processors' time");
    }

    @Test
    void aTargetIsMetByItsBound() {
        assertThat(Stream.of(Target.atLeast("", 1.6, 1.6), Target.atMost("", 0.3, 0.3)))
                .allMatch(Target::met);
        assertThat(Stream.of(Target.atLeast("", 1.6, 1.59), Target.atMost("", 0.3, 0.31)))
                .noneMatch(Target::met);
    }

    private Result result(double steal) throws InterruptedException {
        return Result.of(
                Settings.load("known", Length.SMOKE, new Properties()),
                Length.SMOKE,
                BEGIN,
                Machine.Disturbance.of(steal, 90, 80, 0.1),
                findings);
    }
}
