package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A filter with more operations than it was planned for, which may not grow. */
class OverfullFilterTest {

    private static final FilterSizing STATED = new FilterSizing(10, Duration.ofSeconds(50), 1e-9);
    private static final FilterPlan OF_ONE_SIZE = STATED.plan().partOf(STATED, false);
    private static final int ABSENT = 20_000;

    private final HandClock clock = new HandClock();
    private final ForgetfulBloomFilter filter =
            new ForgetfulBloomFilter("views", OF_ONE_SIZE, new HeapArenas(), FilterClock.of(clock), List.of());
    private long count;

    @Test
    void statesTheRateThatItHas() {
        while (filter.stats().estimatedFpp() < 0.1) {
            put(200);
        }

        double measured = (double) LongStream.range(0, ABSENT)
                        .filter(i -> filter.mightContain(new OperationId(i, Long.MIN_VALUE)))
                        .count()
                / ABSENT;

        assertThat(filter.stats().estimatedFpp()).isCloseTo(measured, within(0.2 * measured));
        sample();
        assertThat(filter.isOverfull()).isTrue();
        assertThat(filter.tooManyFalsePositives())
                .hasMessageContaining("about 1 false positive in "
                        + Math.round(1 / filter.stats().estimatedFpp()) + " new operations")
                .hasMessageContaining("Operations that it finds are refused, unless a ledger confirms them");
    }

    @Test
    void isBelievedAgainWhenTheOperationsAreForgotten() {
        put(100_000);
        sample();
        assertThat(filter.isOverfull()).isTrue();

        for (int periods = 0; periods < OF_ONE_SIZE.past() + 4; periods++) {
            clock.advance(OF_ONE_SIZE.period());
            filter.maintain();
        }

        assertThat(filter.isOverfull()).isFalse();
        assertThat(filter.tooManyFalsePositives()).isNull();
    }

    private void put(int operations) {
        for (int i = 0; i < operations; i++) {
            filter.put(new OperationId(count, count++));
        }
    }

    private void sample() {
        clock.advance(Duration.ofSeconds(1));
        filter.maintain();
    }
}
