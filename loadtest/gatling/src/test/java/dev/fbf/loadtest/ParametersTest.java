package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParametersTest {

    private final Map<String, String> properties = new HashMap<>(Map.ofEntries(
            Map.entry("rate", "100"),
            Map.entry("seconds", "10"),
            Map.entry("measured-seconds", "20"),
            Map.entry("warm-up-seconds", "0.5"),
            Map.entry("retries", "0.8"),
            Map.entry("max-sends", "5"),
            Map.entry("loss", "0.10"),
            Map.entry("give-ups", "0.05"),
            Map.entry("give-up-after-millis", "2"),
            Map.entry("at-once", "0.04"),
            Map.entry("max-attempts", "50"),
            Map.entry("deadline-seconds", "60"),
            Map.entry("seed", "42")));

    @Test
    void comeFromTheSettings() {
        assertThat(parameters())
                .isEqualTo(new Parameters(
                        100,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(20),
                        Duration.ofMillis(500),
                        0.8,
                        5,
                        0.10,
                        0.05,
                        Duration.ofMillis(2),
                        0.04,
                        50,
                        Duration.ofSeconds(60),
                        42));
    }

    @Test
    void sayWhichOneIsMissing() {
        properties.remove("seed");

        assertThatIllegalArgumentException().isThrownBy(this::parameters).withMessageContaining("loadtest.seed");
    }

    @Test
    void refuseAShareOfOneBecauseNoOperationWouldEverEnd() {
        properties.put("loss", "1.0");

        assertThatIllegalArgumentException().isThrownBy(this::parameters).withMessageContaining("loadtest.loss=1.0");
    }

    @Test
    void refuseARunOfNothing() {
        properties.put("rate", "0");

        assertThatIllegalArgumentException().isThrownBy(this::parameters).withMessageContaining("loadtest.rate=0");
    }

    @Test
    void haveOneOperationAtLeast() {
        properties.put("rate", "0.01");

        assertThat(parameters().operations(Phase.FAULTS)).isEqualTo(1);
    }

    @Test
    void onlyThePhaseWithFaultsHasAny() {
        assertThat(parameters().plan(Phase.WARM_UP)).isEqualTo(Plan.calm(50));
        assertThat(parameters().plan(Phase.NO_FAULTS)).isEqualTo(Plan.calm(2_000));
        assertThat(parameters().plan(Phase.FAULTS)).isEqualTo(new Plan(1_000, 0.8, 5, 0.04, 0.05, 50));
    }

    @Test
    void faultsOutlastTheLastOperation() {
        assertThat(parameters().faultsLast()).isGreaterThan(Duration.ofSeconds(70));
    }

    private Parameters parameters() {
        return Parameters.from(Settings.of("loadtest.", properties));
    }
}
