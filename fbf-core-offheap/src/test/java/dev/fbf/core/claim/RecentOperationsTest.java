package dev.fbf.core.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.Threads;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecentOperationsTest {

    private static final int CAPACITY = RecentOperations.CAPACITY;
    private static final int ROTATIONS = 9; // more than there are generations

    private final RecentOperations recent = new RecentOperations();

    @Test
    void findsTheLastOperationsAndFewOthersAfterManyRotations() {
        long full = (long) ROTATIONS * CAPACITY;
        LongStream.range(0, full).forEach(number -> recent.put(id(number)));

        assertThat(RecentOperations.plan().expectedFpp()).isBetween(1e-4, 1.2e-4);
        assertThat(share(-2_000_000, 0)).as("others").isBetween(0.7e-4, 1.5e-4);
        assertThat(share(full - RecentOperations.REMEMBERED, full)).isEqualTo(1);

        long cleared = full + RecentOperations.LINES;
        LongStream.range(full, cleared).forEach(number -> recent.put(id(number)));

        assertThat(share(cleared - RecentOperations.REMEMBERED, cleared)).isEqualTo(1);
        long oldest = (ROTATIONS - 7L) * CAPACITY;
        assertThat(share(oldest, oldest + CAPACITY)).as("forgotten ones").isLessThan(1e-3);
    }

    @Test
    void losesNoOperationWhenThreadsPutDuringARotation() throws Exception {
        int threads = 4;
        int each = CAPACITY;
        Threads.run(threads, thread -> {
            for (long number = thread; number < (long) threads * each; number += threads) {
                recent.put(id(number));
                assertThat(isFound(number)).isTrue();
            }
        });

        assertThat(share(0, (long) threads * each)).isEqualTo(1);
    }

    @Test
    void takesEightMebibytes() {
        assertThat(RecentOperations.plan().bytes()).isEqualTo(8 << 20);
    }

    private boolean isFound(long number) {
        return recent.mightContain(id(number));
    }

    /** The share of operations that are found. */
    private double share(long from, long to) {
        return (double) LongStream.range(from, to).filter(this::isFound).count() / (to - from);
    }

    private static OperationId id(long number) {
        return new OperationId(number, 7);
    }
}
