package dev.fbf.loadtest.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import dev.fbf.core.OperationId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** Guava's Bloom filters as one would rotate them: a put goes into the newest, a check asks one after another. */
@SuppressWarnings("UnstableApiUsage")
final class GuavaFilters implements OperationFilter {

    private static final Funnel<OperationId> FUNNEL =
            (id, into) -> into.putLong(Objects.requireNonNull(id).high()).putLong(id.low());

    private final List<BloomFilter<OperationId>> filters = new ArrayList<>();
    private final long capacityOfEach;

    GuavaFilters(long bytes, int generations, double falsePositiveProbability) {
        double each = falsePositiveProbability / generations; // any of them can be wrong
        double bitsOfAnElement = -Math.log(each) / (Math.log(2) * Math.log(2));
        capacityOfEach = (long) ((double) bytes * Byte.SIZE / (bitsOfAnElement * generations));
        for (int i = 0; i < generations; i++) {
            filters.add(BloomFilter.create(FUNNEL, capacityOfEach, each));
        }
    }

    @Override
    public void fill(SplittableRandom random) {
        for (BloomFilter<OperationId> filter : filters) {
            for (long left = capacityOfEach; left > 0; left--) {
                filter.put(OperationFilter.draw(random));
            }
        }
    }

    @Override
    public void put(OperationId id) {
        filters.get(0).put(id);
    }

    @Override
    public boolean mightContain(OperationId id) {
        for (BloomFilter<OperationId> filter : filters) {
            if (filter.mightContain(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        filters.clear();
    }
}
