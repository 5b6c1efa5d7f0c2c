package dev.fbf.spring;

import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.time.Duration;

/** How a filter is doing, looked at once a second at most, however many figures are read. Thread-safe. */
final class RecentStats {

    private static final long RECENT = Duration.ofSeconds(1).toNanos();

    private final ForgetfulBloomFilter filter;

    private volatile Look last;

    RecentStats(ForgetfulBloomFilter filter) {
        this.filter = filter;
        last = new Look(filter.stats(), System.nanoTime());
    }

    FilterStats get() {
        Look recent = last;
        if (System.nanoTime() - recent.at >= RECENT) {
            recent = new Look(filter.stats(), System.nanoTime());
            last = recent;
        }
        return recent.stats;
    }

    private record Look(FilterStats stats, long at) {}
}
