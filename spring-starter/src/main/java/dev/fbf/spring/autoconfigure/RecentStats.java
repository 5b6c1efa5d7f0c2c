package dev.fbf.spring.autoconfigure;

import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a filter is doing, looked at once a second at most, however many figures are read. Thread-safe. */
final class RecentStats {

    private static final long RECENT = Duration.ofSeconds(1).toNanos();

    private final ForgetfulBloomFilter filter;

    /** None before the first figure is read: a start does not wait for it. */
    private volatile @Nullable Look last;

    RecentStats(ForgetfulBloomFilter filter) {
        this.filter = filter;
    }

    FilterStats get() {
        Look recent = last;
        if (recent == null || System.nanoTime() - recent.at >= RECENT) {
            recent = new Look(filter.stats(), System.nanoTime());
            last = recent;
        }
        return recent.stats;
    }

    private record Look(FilterStats stats, long at) {}
}
