package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OperationTest {

    private static final Plan PLAN = new Plan(1_000, 5, 0.05, 0.05, 50);

    private final List<Operation> operations = Operation.draw(PLAN, new SplittableRandom(7));

    @Test
    void theSeedDecidesEverything() {
        List<String> drawn = visible(operations);

        assertThat(visible(Operation.draw(PLAN, new SplittableRandom(7)))).isEqualTo(drawn);
        assertThat(visible(Operation.draw(PLAN, new SplittableRandom(8)))).isNotEqualTo(drawn);
    }

    @Test
    void bothEndpointsMeetTheSamePlanSideBySide() {
        assertThat(operations).hasSize(2_000);
        for (int i = 0; i < operations.size(); i += 2) {
            Operation one = operations.get(i);
            Operation other = operations.get(i + 1);
            assertThat(one.endpoint()).isNotEqualTo(other.endpoint());
            assertThat(one.sends()).isEqualTo(other.sends());
            assertThat(one.atOnce()).isEqualTo(other.atOnce());
        }
    }

    @Test
    void neitherEndpointAlwaysGoesFirst() {
        long guardedFirst = IntStream.range(0, 1_000)
                .filter(pair -> operations.get(2 * pair).endpoint() == Endpoint.GUARDED)
                .count();

        assertThat(guardedFirst).isBetween(400L, 600L);
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
                    .hasSizeBetween(300, 500);
        }
    }

    @Test
    void aCalmPlanSendsEachOneOnceAndAlone() {
        assertThat(Operation.draw(Plan.calm(100), new SplittableRandom(7)))
                .allSatisfy(operation -> assertThat(operation.sends()).isEqualTo(1))
                .noneMatch(Operation::atOnce);
    }

    private static List<String> visible(List<Operation> operations) {
        return operations.stream()
                .map(operation -> operation.endpoint() + " " + operation.key() + " " + operation.sends() + " "
                        + operation.atOnce() + " " + operation.chance().nextLong())
                .toList();
    }
}
