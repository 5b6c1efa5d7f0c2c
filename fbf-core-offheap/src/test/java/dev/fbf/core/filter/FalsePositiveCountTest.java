package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.time.Duration;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A planned filter under its planned load is wrong as often as its plan says: by count, at the worst moment. */
@Tag("slow")
class FalsePositiveCountTest {

    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final int ELEMENTS_PER_PERIOD = 30_000;

    /** So many that 15 % are more than four standard deviations: 4 / √1000 = 0.13. */
    private static final int FALSE_POSITIVES = 1_000;

    private final HandClock clock = new HandClock();

    @ParameterizedTest(name = "{0}, target {1}, N = {2}")
    @MethodSource
    void countsAsManyFalsePositivesAsPlanned(Rule rule, double target, int past) {
        FilterPlan plan = new FilterSizing(
                        ELEMENTS_PER_PERIOD / (PERIOD.toMillis() / 1000.0), PERIOD.multipliedBy(past + 1L), target)
                .plan(rule, past);
        Arena filter = filter(plan);

        fillUntilTheEndOfAPeriod(filter, past);
        long checks = (long) (FALSE_POSITIVES / plan.expectedFpp());
        long found = LongStream.range(0, checks)
                .parallel()
                .filter(absent -> filter.mightContain(id(-1 - absent)))
                .count();

        // thousands of lines, so that they fill as they do on average
        assertThat(plan.lines()).isGreaterThan(2_048);
        assertThat(plan.expectedFpp()).isBetween(target * 0.99, target);
        assertThat((double) found / checks).isCloseTo(plan.expectedFpp(), Percentage.withPercentage(15));
    }

    static Stream<Arguments> countsAsManyFalsePositivesAsPlanned() {
        return Stream.of(Rule.values())
                .flatMap(rule -> Stream.of(1e-2, 1e-3, 1e-4)
                        .flatMap(target -> Stream.of(1, 4, 8).map(past -> arguments(rule, target, past))));
    }

    /** One period more than the live generations hold, so that each of them is full and one was forgotten. */
    private void fillUntilTheEndOfAPeriod(Arena filter, int past) {
        long next = 0;
        for (int period = 0; period < past + 3; period++) {
            if (period > 0) {
                clock.advance(PERIOD);
                assertThat(filter.refreshIfDue()).isTrue();
            }
            for (int i = 0; i < ELEMENTS_PER_PERIOD; i++) {
                filter.put(id(next++));
            }
        }
    }

    private Arena filter(FilterPlan plan) {
        Words words = new HeapWords(plan.bytes() / Long.BYTES);
        return HeapArenas.arena(plan, words, FilterClock.of(clock));
    }

    private static OperationId id(long number) {
        return new OperationId(number, 0);
    }
}
