package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ResultTest {

    private static final Instant BEGIN = Instant.parse("2026-01-02T03:04:05Z");

    private final Run.Findings findings = new Run.Findings(
            Map.of("perSecond", 17),
            "own table\n",
            List.of(Target.atLeast("a rate", 2, 2.5), Target.atMost("a time", 1, 3)),
            List.of("it is lost"),
            Map.of("postgres", "PostgreSQL 0"));

    @Test
    void theTableEndsWithTargetsAndFailures() throws Exception {
        assertThat(result().table(findings.table()))
                .startsWith("own table\n")
                .contains("PostgreSQL 0", "steal 25.0 %; a sync of the disk 80 µs, before 90 µs")
                .containsPattern("a rate +≥ 2.00 +2.50 +met\n.*a time +≤ 1.00 +3.00 +MISSED")
                .contains("WARNING times and rates are worthless; other tenants took 25 % of the processors' time")
                .endsWith("FAILED it is lost\n");
    }

    @Test
    void aTargetIsMetByItsBound() {
        assertThat(Stream.of(Target.atLeast("", 1.6, 1.6), Target.atMost("", 0.3, 0.3)))
                .allMatch(Target::met);
        assertThat(Stream.of(Target.atLeast("", 1.6, 1.59), Target.atMost("", 0.3, 0.31)))
                .noneMatch(Target::met);
    }

    private Result result() throws InterruptedException {
        return Result.of(
                Settings.load("known", Length.SMOKE, new Properties()),
                Length.SMOKE,
                BEGIN,
                Machine.Disturbance.of(0.25, 90, 80, 0.1),
                findings);
    }
}
