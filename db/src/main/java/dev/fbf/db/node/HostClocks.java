package dev.fbf.db.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The clocks of the hosts of living nodes, as one of them has seen them. Immutable.
 *
 * @param own how far this host's clock is ahead of the database's
 * @param others how far those of the other nodes' hosts are
 * @param hostTime when that was seen, by this host's clock
 * @param databaseTime the same, by the database's
 * @param nanos the same, by the monotonic one
 */
record HostClocks(Duration own, List<Duration> others, Instant hostTime, Instant databaseTime, long nanos) {

    /** A step of a clock: longer than clocks are slowed down between two rounds. */
    private static final Duration STEP = Duration.ofSeconds(1);

    /**
     * As the database has responded.
     *
     * @param sent this host's time when it was asked
     * @param received this host's time when it had responded
     * @param databaseTime its time in between
     */
    static HostClocks of(Instant sent, Instant received, Instant databaseTime, List<Duration> others, long nanos) {
        Duration least = Duration.between(databaseTime, sent);
        Duration most = Duration.between(databaseTime, received);
        Duration own = most.isNegative() ? most : least.isNegative() ? Duration.ZERO : least;
        return new HostClocks(own, others, received, databaseTime, nanos);
    }

    /** Drift of this host's clock against the monotonic clock since these readings; negative if it was set back. */
    Duration hostStep(Instant now, long nowNanos) {
        return Duration.between(hostTime, now).minusNanos(nowNanos - nanos);
    }

    /** Drift of the database's clock against the monotonic clock since these readings; negative if it was set back. */
    Duration databaseStep(HostClocks now) {
        return Duration.between(databaseTime, now.databaseTime).minusNanos(now.nanos - nanos);
    }

    static boolean isStep(Duration moved) {
        return moved.abs().compareTo(STEP) >= 0;
    }

    /**
     * Compares the clocks.
     *
     * @param skew how far clocks may differ
     */
    ClockSpread spread(Duration skew) {
        /*
         * An operation is applied at a, by the database's clock, if its key's time k is at most a + skew, by the earlier one of this
         * clock and the host's. Any node refuses it at r if k < r - window + skew, by the latest of the clocks. A forgotten operation
         * has r > a + window: so k <= a + skew < r - window + skew, and it is refused, whichever hosts differ.
         *
         * The clock nearest to the database's is right. The others count as far as they are within the skew of it, and so does the
         * database's; without that, the earliest of the hosts' takes its place. A host that does not count applies nothing.
         */
        Duration nearest = Stream.concat(Stream.of(own), others.stream())
                .min(Comparator.comparing(Duration::abs).thenComparing(Comparator.naturalOrder()))
                .orElse(own);
        if (!isWithin(skew, own, nearest)) {
            return new ClockSpread(Duration.ZERO, Duration.ZERO, own);
        }
        boolean databaseCounts = isWithin(skew, nearest, Duration.ZERO);
        Duration earliest = own;
        Duration latest = own;
        if (databaseCounts) {
            earliest = min(own, Duration.ZERO);
            latest = max(own, Duration.ZERO);
        }
        for (Duration other : others) {
            if (isWithin(skew, other, nearest)) {
                earliest = databaseCounts ? earliest : min(earliest, other);
                latest = max(latest, other);
            }
        }
        return new ClockSpread(earliest.minus(own), latest.minus(own), Duration.ZERO);
    }

    private static boolean isWithin(Duration skew, Duration one, Duration other) {
        return one.minus(other).abs().compareTo(skew) <= 0;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
