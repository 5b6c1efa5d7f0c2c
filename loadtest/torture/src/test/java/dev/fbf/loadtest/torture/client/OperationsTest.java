package dev.fbf.loadtest.torture.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.client.Operations.Target;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OperationsTest {

    private final Operations operations = new Operations(7, 100, 0.5);

    @Test
    void readsAnOperationBackFromItsKey() {
        for (long operation : new long[] {0, 1, 4_321, Integer.MAX_VALUE}) {
            UUID key = operations.key(operation);
            assertThat(key.version()).isEqualTo(4); // it carries no time
            assertThat(key.variant()).isEqualTo(2);
            assertThat(operations.operation(key)).hasValue(operation);
        }
    }

    @Test
    void knowsNoOtherRunsKeys() {
        assertThat(operations.operation(new Operations(8, 100, 0.5).key(1))).isEmpty();
        assertThat(operations.operation(UUID.randomUUID())).isEmpty();
    }

    @Test
    void usesAllCounters() {
        assertThat(to(Target.PAGE).map(operations::counter).distinct()).hasSize(100);
        assertThat(to(Target.SHARED_COUNTER).map(operations::counter).distinct())
                .containsExactlyInAnyOrder("shared-0", "shared-1")
                .allMatch(Operations::isShared);
    }

    @Test
    void givesHalfOfTheOperationsToGroupsAndAThirdOfThoseToSharedCounters() {
        assertThat(to(Target.PAGE).count()).isBetween(2_400L, 2_600L);
        assertThat(to(Target.SHARED_COUNTER).count()).isBetween(733L, 933L);
    }

    private Stream<Long> to(Target target) {
        return LongStream.range(0, 5_000)
                .filter(operation -> operations.target(operation) == target)
                .boxed();
    }
}
