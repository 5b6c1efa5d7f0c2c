package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.filter.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * fbf's filter as an application uses it: in a mapped file. It is filled with one period's operations: a check looks
 * at the same words, whatever they hold.
 */
final class MappedFilter implements OperationFilter {

    /** Long enough that nothing is refreshed while it is measured. */
    private static final Duration WINDOW = Duration.ofHours(24);

    /** Of a larger filter, only so many are put: a put takes longest when there are few, a check looks at all anyway. */
    private static final long MOST_PUTS = 8_000_000;

    private final Path path;
    private final FilterDirectory directory;
    private final ForgetfulBloomFilter filter;

    MappedFilter(long bytes, int past, double falsePositiveProbability) throws IOException {
        path = Files.createTempDirectory("fbf-bench-");
        directory = FilterDirectory.open(path);
        filter = directory.filter("bench", plan(bytes, past, falsePositiveProbability));
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
    public void fill(SplittableRandom random) {
        FilterPlan plan = filter.plan();
        long operations = (long)
                (plan.sizing().expectedOperationsPerSecond() * plan.period().toSeconds());
        for (long left = Math.min(operations, MOST_PUTS); left > 0; left--) {
            filter.put(OperationFilter.draw(random));
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
        for (String name : new String[] {"bench.fbf", "fbf.lock"}) {
            Files.deleteIfExists(path.resolve(name));
        }
        Files.deleteIfExists(path);
    }
}
