package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Simulates eight hours of a load: the size of the filter and its highest false positive probability. */
class GrowthTest {

    private static final FilterSizing STATED = FilterSizing.DEFAULT;
    private static final double RATE = STATED.expectedOperationsPerSecond();
    private static final Duration EIGHT_HOURS = Duration.ofHours(8);
    /**
     * Where the load rises a little above the plan of an arena, and no further, there are two of about that size
     * for a window: the old one, and one with a fifth more and a smaller share of the probability.
     */
    private static final double RISES_SLOWLY = 2.3;

    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void takesNoMoreThanTwiceWhatTheLoadNeedsAndKeepsWhatWasStated(
            String name, GrowthSimulation.Load load, int mostGrowths, double mostExcess) {
        GrowthSimulation simulation = new GrowthSimulation(STATED, load).run(EIGHT_HOURS);

        assertThat(simulation.excess()).as(name).isLessThanOrEqualTo(mostExcess);
        assertThat(simulation.highestFpp).isLessThan(STATED.falsePositiveProbability());
        assertThat(simulation.growths).isLessThanOrEqualTo(mostGrowths);
    }

    static Stream<Arguments> takesNoMoreThanTwiceWhatTheLoadNeedsAndKeepsWhatWasStated() {
        return Stream.of(
                arguments("batches of 5,000 each minute", batches(5_000), 0, 1),
                arguments("batches of 30,000 each minute", batches(30_000), 0, 1),
                arguments("Poisson, 10 % of the plan", poisson(time -> 0.1), 0, 1),
                arguments("Poisson, 50 % of the plan", poisson(time -> 0.5), 0, 1),
                arguments("Poisson, 100 % of the plan", poisson(time -> 1), 0, 1),
                arguments("a day, up to the plan", poisson(day(1)), 0, 1),
                arguments("a day, up to 1.3 x the plan", poisson(day(1.3)), 6, RISES_SLOWLY),
                arguments("a day, up to 3 x the plan", poisson(day(3)), 12, RISES_SLOWLY),
                arguments("surge x 5 for 20 minutes", poisson(surge(0.5, 5, 10_000)), 4, 2),
                arguments("surge x 10 for 20 minutes, from 10 %", poisson(surge(0.1, 10, 0)), 4, 2),
                arguments("surge x 10 for 20 minutes, from 100 %", poisson(surge(1, 10, 0)), 4, 2),
                arguments("surge x 10, 20 s before a refresh", poisson(surge(1, 10, 20_000)), 4, 2),
                arguments("surge x 10, 2 s before a refresh", poisson(surge(1, 10, 2_000)), 5, 2),
                arguments("50 operations 1 ms after a refresh", afterRefresh(50), 0, 1),
                arguments("500 operations 1 ms after a refresh", afterRefresh(500), 0, 1),
                arguments("2,000 operations 1 ms after a refresh", afterRefresh(2_000), 0, 1));
    }

    private static GrowthSimulation.Load poisson(LongToDoubleFunction partOfPlan) {
        return (from, to, random) ->
                GrowthSimulation.poisson(RATE / 1000 * partOfPlan.applyAsDouble(from) * (to - from), random);
    }

    /** All within a millisecond, each minute about half a second later or earlier. */
    private static GrowthSimulation.Load batches(double operations) {
        return (from, to, random) -> {
            long at = to / MINUTE * MINUTE + to / MINUTE * 7919 % 1000;
            return from < at && at <= to ? operations : 0;
        };
    }

    private static LongToDoubleFunction day(double highest) {
        return time -> highest * (0.55 + 0.45 * Math.sin(2 * Math.PI * time / (6 * HOUR)));
    }

    private static LongToDoubleFunction surge(double before, double factor, long earlier) {
        long period = STATED.plan().period().toMillis();
        long begin = 90 * period - earlier;
        return time -> time >= begin && time < begin + 20 * MINUTE ? factor : before;
    }

    private static GrowthSimulation.Load afterRefresh(double operations) {
        long period = STATED.plan().period().toMillis();
        return new GrowthSimulation.Load() {
            @Override
            public double between(long from, long to, Random random) {
                return from % period == 0 ? operations : 0;
            }

            @Override
            public boolean sampledAfterRefresh() {
                return true;
            }
        };
    }
}
