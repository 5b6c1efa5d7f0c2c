package dev.fbf.loadtest.torture.recovery;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A filter that was in use before the application opens it for the first time.
 *
 * @param plan how it is laid out: the starter derives the same plan from the same rate
 */
record FilterFile(FilterPlan plan, long elements) {

    private static final double STEP = 1.02;

    /** The least that a filter may be limited to. */
    private static final long LEAST = 64 << 10;

    /** Makes the smallest filter of at least that size, and puts as many operations as a period at the planned rate brings. */
    static FilterFile make(Path directory, String scope, int mebibytes) {
        FilterPlan plan = plan(mebibytes);
        long elements = (long)
                (plan.sizing().expectedOperationsPerSecond() * plan.period().toMillis() / 1000);
        try (FilterDirectory open = FilterDirectory.open(directory)) {
            ForgetfulBloomFilter filter = open.filter(scope, plan);
            SplittableRandom random = new SplittableRandom(mebibytes);
            for (long i = 0; i < elements; i++) {
                filter.put(new OperationId(random.nextLong(), random.nextLong()));
            }
        }
        return new FilterFile(plan, elements);
    }

    /** The plan of a filter of at least that size, by the default window and probability. */
    static FilterPlan plan(int mebibytes) {
        double rate = 1;
        FilterPlan plan = plan(rate);
        while (plan.bytes() < mebibytes * (1L << 20)) {
            rate *= STEP;
            plan = plan(rate);
        }
        return plan;
    }

    /** It is filled faster than planned: the size that is measured is the one asked for only if it may not grow by that. */
    private static FilterPlan plan(double rate) {
        FilterSizing preset = FilterSizing.DEFAULT;
        FilterPlan plan = new FilterSizing(rate, preset.retryWindow(), preset.falsePositiveProbability()).plan();
        return new FilterSizing(
                        rate, preset.retryWindow(), preset.falsePositiveProbability(), Math.max(LEAST, plan.bytes()))
                .plan();
    }

    double operationsPerSecond() {
        return plan.sizing().expectedOperationsPerSecond();
    }
}
