package dev.fbf.core.filter;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * How a filter is doing.
 *
 * @param targetFpp how often it may be mistaken, as was stated
 * @param arenas its arenas, the newest first
 * @param droppedBytes the size of former arenas that are no longer asked, but whose memory and disk space are not yet free
 */
public record FilterStats(double targetFpp, List<ArenaStats> arenas, long droppedBytes) {

    /**
     * Makes the statistics of a filter without dropped arenas.
     *
     * @param targetFpp as above
     * @param arenas as above
     */
    public FilterStats(double targetFpp, List<ArenaStats> arenas) {
        this(targetFpp, arenas, 0);
    }

    /**
     * Returns how often the filter is mistaken now.
     *
     * @return the probability that an operation that was never put is found, from a sample of the bits
     */
    public double estimatedFpp() {
        double right = 1 - approximateElementCount() * ProbeHash.SAME_SEED;
        for (ArenaStats arena : arenas) {
            right *= 1 - arena.estimatedFpp();
        }
        return 1 - right;
    }

    /**
     * Returns whether the filter is mistaken more often than was stated: the load is above the plan, and the filter may
     * not, or could not, grow.
     *
     * @return whether {@link #estimatedFpp()} is above {@link #targetFpp()} by a fifth: less may be the sample's chance
     */
    public boolean overTarget() {
        return estimatedFpp() > 1.2 * targetFpp;
    }

    /**
     * Returns how many elements the filter holds: an operation is one, and its {@linkplain FilterPlan#elementsPerOperation()
     * request} a part of one.
     *
     * @return about how many
     */
    public long approximateElementCount() {
        return arenas.stream().mapToLong(ArenaStats::approximateElementCount).sum();
    }

    /**
     * Returns how full the filter is.
     *
     * @return the part of the positions that are set in the fullest of its generations, 0 to 1
     */
    public double fill() {
        return arenas.stream()
                .flatMap(arena -> arena.generations().stream())
                .mapToDouble(GenerationStats::fill)
                .max()
                .orElse(0);
    }

    /**
     * Returns how late the filter's refreshes are: nothing is forgotten early by that, but more is remembered.
     *
     * @return that of the latest of its arenas
     */
    public Duration refreshDelay() {
        return arenas.stream()
                .map(ArenaStats::refreshDelay)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /**
     * Returns the size of the filter's files, those included that are {@linkplain #droppedBytes() dropped}.
     *
     * @return bytes
     */
    public long bytes() {
        return droppedBytes
                + arenas.stream().mapToLong(arena -> arena.plan().bytes()).sum();
    }
}
