package dev.fbf.loadtest.paper.clicks;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import dev.fbf.core.OperationId;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Guava's Bloom filters, one for each period: a click goes into the newest and is looked for in all, and the oldest makes room
 * for an empty one. Of G filters G − 1 periods are a window.
 */
final class GuavaFilters extends OneByOne {

    private static final Funnel<OperationId> FUNNEL =
            (id, into) -> into.putLong(Objects.requireNonNull(id).high()).putLong(id.low());

    private static final int MOST_FILTERS = 32;
    private static final double LOWEST_FPP = 1e-12;
    private static final double LOG_2 = Math.log(2);

    private final int count;
    private final int period;
    private final int clicksOfPeriod;
    private final double fpp;
    private final Deque<BloomFilter<OperationId>> filters = new ArrayDeque<>();

    GuavaFilters(Demand demand, long bytes, int count) {
        this.count = count;
        period = Demand.period(count - 1);
        clicksOfPeriod = (int) Math.ceil(demand.clicksIn(period));
        fpp = fppOfOne(demand, bytes, count);
        filters.add(empty());
    }

    /** The number of filters with the fewest false positives in this stream that take so much memory. */
    static int bestCount(Demand demand, long bytes) {
        return IntStream.rangeClosed(2, MOST_FILTERS)
                .boxed()
                .min(Comparator.comparingDouble(count -> falsePositives(demand, bytes, count)))
                .orElseThrow();
    }

    private static double falsePositives(Demand demand, long bytes, int count) {
        int period = Demand.period(count - 1);
        double fpp = fppOfOne(demand, bytes, count);
        double hashes = Math.max(1, Math.rint(-Math.log(fpp) / LOG_2));
        double bits = -demand.clicksIn(period) * Math.log(fpp) / (LOG_2 * LOG_2);
        return count * demand.mean(period, clicks -> Math.pow(-Math.expm1(-hashes * clicks / bits), hashes));
    }

    /** The false positive probability for which Guava makes a filter of this size. */
    private static double fppOfOne(Demand demand, long bytes, int count) {
        long bits = (bytes / count / Long.BYTES - 1) * Long.SIZE;
        return Math.exp(-bits / Math.ceil(demand.clicksIn(Demand.period(count - 1))) * LOG_2 * LOG_2);
    }

    private BloomFilter<OperationId> empty() {
        return BloomFilter.create(FUNNEL, clicksOfPeriod, Math.max(fpp, LOWEST_FPP));
    }

    @Override
    public void advance(int slice) {
        if (slice > 0 && slice % period == 0) {
            if (filters.size() == count) {
                filters.removeLast();
            }
            filters.addFirst(empty());
        }
    }

    @Override
    boolean isDuplicate(OperationId click) {
        for (BloomFilter<OperationId> filter : filters) {
            if (filter.mightContain(click)) {
                return true;
            }
        }
        filters.getFirst().put(click);
        return false;
    }

    /** All filters together: Guava does not show their size, only how it follows from the clicks and the probability. */
    @Override
    public long bytes() {
        long words =
                (long) Math.ceil(-clicksOfPeriod * Math.log(Math.max(fpp, LOWEST_FPP)) / (LOG_2 * LOG_2) / Long.SIZE);
        return count * words * Long.BYTES;
    }
}
