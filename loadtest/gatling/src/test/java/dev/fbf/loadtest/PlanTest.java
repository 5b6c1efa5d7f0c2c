package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.Plan.Operation;
import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTest {

    private static final Plan PLAN = new Plan(0.8, 5, 0.05, 0.05, 50, Duration.ofMillis(2), Duration.ofMinutes(1));

    private final List<Operation> operations = PLAN.draw(1_000, new SplittableRandom(7));

    @Test
    void theSeedDecidesEverything() {
        List<String> drawn = visible(operations);

        assertThat(visible(PLAN.draw(1_000, new SplittableRandom(7)))).isEqualTo(drawn);
        assertThat(visible(PLAN.draw(1_000, new SplittableRandom(8)))).isNotEqualTo(drawn);
    }

    @Test
    void allEndpointsMeetTheSamePlanSideBySide() {
        assertThat(operations).hasSize(3_000);
        for (int i = 0; i < operations.size(); i += 3) {
            List<Operation> together = operations.subList(i, i + 3);
            assertThat(together).extracting(Operation::endpoint).containsExactlyInAnyOrder(Endpoint.values());
            assertThat(together)
                    .extracting(Operation::sends)
                    .containsOnly(together.get(0).sends());
            assertThat(together)
                    .extracting(Operation::atOnce)
                    .containsOnly(together.get(0).atOnce());
        }
    }

    @Test
    void noEndpointAlwaysGoesFirst() {
        for (Endpoint endpoint : Endpoint.values()) {
            long first = IntStream.range(0, 1_000)
                    .filter(i -> operations.get(3 * i).endpoint() == endpoint)
                    .count();

            assertThat(first).isBetween(260L, 410L);
        }
    }

    @Test
    void eachOneHasARandomKeyOfItsOwn() {
        assertThat(operations)
                .extracting(Operation::key)
                .doesNotHaveDuplicates()
                .allSatisfy(key -> {
                    assertThat(key.version()).isEqualTo(4);
                    assertThat(key.variant()).isEqualTo(2);
                });
    }

    @Test
    void sendsAreUniform() {
        for (int sends = 1; sends <= 5; sends++) {
            int wanted = sends;
            assertThat(operations.stream().filter(operation -> operation.sends() == wanted))
                    .hasSizeBetween(450, 750);
        }
    }

    @Test
    void aCalmPlanSendsEachOneOnceAndAlone() {
        assertThat(PLAN.calm().draw(100, new SplittableRandom(7)))
                .allSatisfy(operation -> assertThat(operation.sends()).isEqualTo(1))
                .noneMatch(Operation::atOnce);
    }

    @Test
    void theSettingsOfALoadTestAreItsPlan() {
        Map<String, String> settings =
                new HashMap<>(Map.of("retries", "0.8", "max-sends", "5", "at-once", "0.05", "give-ups", "0.05"));
        settings.putAll(Map.of("max-attempts", "50", "give-up-after-millis", "2", "deadline-seconds", "60"));
        assertThat(Plan.of(Settings.of("loadtest.", settings))).isEqualTo(PLAN);
    }

    private static List<String> visible(List<Operation> operations) {
        return operations.stream()
                .map(operation -> operation.endpoint() + " " + operation.key() + " " + operation.sends() + " "
                        + operation.atOnce() + " " + operation.chance().nextLong())
                .toList();
    }
}
