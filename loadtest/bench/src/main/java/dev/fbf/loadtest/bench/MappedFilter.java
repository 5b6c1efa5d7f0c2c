package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.filter.Rule;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;

/** fbf's filter as an application uses it: in a mapped file. */
final class MappedFilter implements OperationFilter {

    /** Long enough that nothing is refreshed while it is measured. */
    private static final Duration WINDOW = Duration.ofHours(24);

    private final BenchDirectory temporary = BenchDirectory.create();
    private final FilterPlan plan;
    private FilterDirectory directory;
    private ForgetfulBloomFilter filter;

    MappedFilter(long bytes, int past, double falsePositiveProbability) throws IOException {
        plan = plan(bytes, past, falsePositiveProbability);
        directory = FilterDirectory.open(temporary.path());
        filter = directory.filter("bench", plan);
    }

    /** A plan of about so many bytes. */
    static FilterPlan plan(long bytes, int past, double falsePositiveProbability) {
        return plan(bytes, past, falsePositiveProbability, WINDOW);
    }

    static FilterPlan plan(long bytes, int past, double falsePositiveProbability, Duration window) {
        FilterPlan probe = new FilterSizing(1_000, window, falsePositiveProbability).plan(Rule.SINGLE, past);
        double rate = 1_000.0 * bytes / probe.bytes();
        return new FilterSizing(rate, window, falsePositiveProbability).plan(Rule.SINGLE, past);
    }

    @Override
    public void fill(SplittableRandom random) throws IOException {
        directory.close();
        FullFile.fill(temporary.file("bench"), plan, random);
        directory = FilterDirectory.open(temporary.path());
        filter = directory.filter("bench", plan);
        double expected = plan.expectedFpp();
        double estimated = filter.stats().estimatedFpp();
        if (!(estimated > expected / 1.5 && estimated < expected * 1.5)) {
            throw new IllegalStateException("the filter is not full: estimatedFpp=" + estimated + ", not " + expected);
        }
    }

    @Override
    public void put(OperationId id) {
        filter.put(id);
    }

    @Override
    public boolean mightContain(OperationId id) {
        return filter.mightContain(id);
    }

    @Override
    public void close() throws IOException {
        directory.close();
        temporary.close();
    }
}
