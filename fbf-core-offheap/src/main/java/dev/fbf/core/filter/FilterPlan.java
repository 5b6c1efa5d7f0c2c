package dev.fbf.core.filter;

import dev.fbf.core.model.FalsePositiveModel;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.Locale;

/**
 * How a filter is laid out, and what for.
 *
 * @param sizing what the user stated
 * @param positions m, the number of positions in a generation, a multiple of 512
 * @param probes κ, the number of positions an operation sets in a generation
 * @param past N, the number of past generations
 * @param period t, the time from one refresh to the next
 */
public record FilterPlan(FilterSizing sizing, long positions, int probes, int past, Duration period) {

    /**
     * Returns how many generations answer: future, present and the past ones.
     *
     * @return N + 2
     */
    public int liveGenerations() {
        return past + 2;
    }

    /**
     * Returns how long an operation is surely remembered.
     *
     * @return (N + 1)·t, never shorter than the retry window
     */
    public Duration window() {
        return period.multipliedBy(past + 1L);
    }

    /**
     * Returns the size of the filter's file.
     *
     * @return bytes, the spare generation included
     */
    public long bytes() {
        return new PlaneLayout(this).words() * Long.BYTES;
    }

    /**
     * Returns the false positive probability at the stated rate, at the end of a period, when it is highest.
     *
     * @return a probability by {@link FalsePositiveModel#EXACT}
     */
    public double expectedFpp() {
        return FalsePositiveModel.EXACT.fpp(elementsPerPeriod(), (double) positions, probes, past, 1);
    }

    /** Explains the plan in one line. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s operations/s, retried for %s, at 1 mistaken in %,.0f: %d generations of %,d positions and a"
                        + " spare, %d probes, a refresh every %s, remembered for %s, %.2f MB",
                new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT))
                        .format(sizing.expectedOperationsPerSecond()),
                sizing.retryWindow(),
                1 / sizing.falsePositiveProbability(),
                liveGenerations(),
                positions,
                probes,
                period,
                window(),
                bytes() / 1e6);
    }

    double elementsPerPeriod() {
        return FilterPlanner.elementsPerPeriod(sizing, period);
    }
}
