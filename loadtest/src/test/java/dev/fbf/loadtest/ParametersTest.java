package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParametersTest {

    private final Map<String, String> properties = new HashMap<>(Map.ofEntries(
            Map.entry("loadtest.rate", "100"),
            Map.entry("loadtest.seconds", "10"),
            Map.entry("loadtest.measured-seconds", "20"),
            Map.entry("loadtest.warm-up-seconds", "0.5"),
            Map.entry("loadtest.retries", "0.8"),
            Map.entry("loadtest.max-sends", "5"),
            Map.entry("loadtest.loss", "0.10"),
            Map.entry("loadtest.give-ups", "0.05"),
            Map.entry("loadtest.give-up-after-millis", "2"),
            Map.entry("loadtest.at-once", "0.04"),
            Map.entry("loadtest.max-attempts", "50"),
            Map.entry("loadtest.deadline-seconds", "60"),
            Map.entry("loadtest.seed", "42")));

    @Test
    void comeFromSystemProperties() {
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
    void sayHowToRunIfOneIsMissing() {
        properties.remove("loadtest.seed");

        assertThatIllegalArgumentException()
                .isThrownBy(this::parameters)
                .withMessageContaining("loadtest.seed")
                .withMessageContaining("mvn -Ploadtest verify");
    }

    @Test
    void refuseAShareOfOneBecauseNoOperationWouldEverEnd() {
        properties.put("loadtest.loss", "1.0");

        assertThatIllegalArgumentException().isThrownBy(this::parameters).withMessageContaining("loadtest.loss=1.0");
    }

    @Test
    void refuseARunOfNothing() {
        properties.put("loadtest.rate", "0");

        assertThatIllegalArgumentException().isThrownBy(this::parameters).withMessageContaining("loadtest.rate=0");
    }

    @Test
    void haveOneOperationAtLeast() {
        properties.put("loadtest.rate", "0.01");

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

    @Test
    void aListStandsBetweenCommas() {
        properties.put("loadtest.many", "0, 0.05,0.10");
        properties.put("loadtest.times", "0,50, 100");
        Settings settings = new Settings(properties::get, "loadtest.");

        assertThat(settings.shares("many")).containsExactly(0.0, 0.05, 0.10);
        assertThat(settings.millisOfEach("times"))
                .containsExactly(Duration.ZERO, Duration.ofMillis(50), Duration.ofMillis(100));
    }

    private Parameters parameters() {
        return Parameters.from(new Settings(properties::get, "loadtest."));
    }
}
