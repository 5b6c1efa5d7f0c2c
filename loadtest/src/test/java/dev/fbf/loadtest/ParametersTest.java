package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParametersTest {

    private final Map<String, String> properties = new HashMap<>(Map.ofEntries(
            Map.entry("loadtest.operations", "1000"),
            Map.entry("loadtest.measured-operations", "2000"),
            Map.entry("loadtest.warm-up-operations", "3000"),
            Map.entry("loadtest.rate", "100"),
            Map.entry("loadtest.lost-answers", "0.10"),
            Map.entry("loadtest.give-ups", "0.05"),
            Map.entry("loadtest.give-up-after-millis", "2"),
            Map.entry("loadtest.at-once", "0.04"),
            Map.entry("loadtest.max-sends", "5"),
            Map.entry("loadtest.max-attempts", "50"),
            Map.entry("loadtest.deadline-seconds", "60"),
            Map.entry("loadtest.seed", "42")));

    @Test
    void comeFromSystemProperties() {
        assertThat(Parameters.from(properties::get))
                .isEqualTo(new Parameters(
                        1_000,
                        2_000,
                        3_000,
                        100,
                        0.10,
                        0.05,
                        Duration.ofMillis(2),
                        0.04,
                        5,
                        50,
                        Duration.ofSeconds(60),
                        42));
    }

    @Test
    void sayHowToRunIfOneIsMissing() {
        properties.remove("loadtest.seed");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Parameters.from(properties::get))
                .withMessageContaining("loadtest.seed")
                .withMessageContaining("mvn -Ploadtest verify");
    }

    @Test
    void refuseAShareOfOneBecauseNoOperationWouldEverEnd() {
        properties.put("loadtest.lost-answers", "1.0");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Parameters.from(properties::get))
                .withMessageContaining("loadtest.lost-answers=1.0");
    }

    @Test
    void refuseARunOfNothing() {
        properties.put("loadtest.operations", "0");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Parameters.from(properties::get))
                .withMessageContaining("loadtest.operations=0");
    }

    @Test
    void acceptASingleOperation() {
        properties.put("loadtest.operations", "1");

        assertThat(Parameters.from(properties::get).operations()).isEqualTo(1);
    }

    @Test
    void onlyThePhaseWithFaultsHasAny() {
        Parameters parameters = Parameters.from(properties::get);

        assertThat(parameters.plan(Phase.WARM_UP)).isEqualTo(Plan.calm(3_000));
        assertThat(parameters.plan(Phase.NO_FAULTS)).isEqualTo(Plan.calm(2_000));
        assertThat(parameters.plan(Phase.FAULTS)).isEqualTo(new Plan(1_000, 5, 0.04, 0.05, 50));
    }

    @Test
    void operationsBeginAtTheWantedRate() {
        assertThat(Parameters.from(properties::get).span(Phase.NO_FAULTS)).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void faultsOutlastTheLastOperationButNotAnHour() {
        Parameters parameters = Parameters.from(properties::get);
        assertThat(parameters.faultsLast())
                .isGreaterThan(parameters.span(Phase.FAULTS).plus(parameters.deadline()));

        properties.put("loadtest.rate", "0.01");
        assertThat(Parameters.from(properties::get).faultsLast()).isEqualTo(Duration.ofHours(1));
    }
}
