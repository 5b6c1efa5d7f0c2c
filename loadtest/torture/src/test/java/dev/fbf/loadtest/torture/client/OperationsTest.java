package dev.fbf.loadtest.torture.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OperationsTest {

    private final Operations operations = new Operations(7, 100);

    @Test
    void readsAnOperationBackFromItsKey() {
        for (long operation : new long[] {0, 1, Operations.number(3, 4), Operations.number(500, Integer.MAX_VALUE)}) {
            UUID key = operations.key(operation);
            assertThat(key.version()).isEqualTo(4); // it carries no time
            assertThat(key.variant()).isEqualTo(2);
            assertThat(operations.operation(key)).hasValue(operation);
        }
    }

    @Test
    void knowsNoOtherRunsKeys() {
        assertThat(operations.operation(new Operations(8, 100).key(1))).isEmpty();
        assertThat(operations.operation(UUID.randomUUID())).isEmpty();
    }

    @Test
    void usesAllCounters() {
        assertThat(LongStream.range(0, 5_000).mapToObj(operations::counter).distinct())
                .hasSize(100);
    }
}
