package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RetriedCounterTest {

    private final RetriedCounter counter = new RetriedCounter(1_000, 5, 0.5, 10, 1);

    @Test
    void isExactBehindAnExactMemory() {
        Set<Long> known = new HashSet<>();

        assertThat(counter.error(new Memory() {
                    @Override
                    public boolean isNew(long operation) {
                        return known.add(operation);
                    }

                    @Override
                    public void secondGoneBy() {}
                }))
                .isZero();
    }

    @Test
    void isExactBehindALargeForgetfulFilterSinceItsWindowIsTheRetries() {
        assertThat(counter.error(Memory.of(new SimulatedFilter(Rule.CORRECTED, 100_000, 5, 1, 1), 5)))
                .isZero();
    }

    @Test
    void countsRetriesTwiceBehindARecyclableFilterThatIsAlwaysEmptied() {
        // all but the retries within the second of their operation come to an empty filter
        assertThat(counter.error(new RecyclableFilter(100_000, 5, 0, 1))).isCloseTo(0.5 * 0.95, Offset.offset(0.05));
    }

    @Test
    void countsNoRetryTwiceBehindARecyclableFilterThatIsNeverEmptied() {
        assertThat(counter.error(new RecyclableFilter(100_000, 5, 1, 1))).isZero();
    }
}
