package dev.fbf.db.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reading of the clocks of live nodes' hosts, taken by one node. Immutable.
 *
 * @param own the lead of this host's clock over the database's clock
 * @param others the leads of the other nodes' hosts
 * @param hostTime the time of the reading by this host's clock
 * @param databaseTime the time of the reading by the database's clock
 * @param nanos the time of the reading by the monotonic clock
 */
record HostClocks(Duration own, List<Duration> others, Instant hostTime, Instant databaseTime, long nanos) {

    /** Threshold for a step of a clock: longer than a slewed clock falls behind between two rounds. */
    private static final Duration STEP = Duration.ofSeconds(1);

    /**
     * Evaluates a response of the database.
     *
     * @param sent this host's time when the query was sent
     * @param received this host's time when the response arrived
     * @param databaseTime the database's time in between
     */
    static HostClocks of(Instant sent, Instant received, Instant databaseTime, List<Duration> others, long nanos) {
        Duration least = Duration.between(databaseTime, sent);
        Duration most = Duration.between(databaseTime, received);
        Duration own = most.isNegative() ? most : least.isNegative() ? Duration.ZERO : least;
        return new HostClocks(own, others, received, databaseTime, nanos);
    }

    /** Returns the drift of this host's clock against the monotonic clock since this reading; negative if it was set back. */
    Duration hostStep(Instant now, long nowNanos) {
        return Duration.between(hostTime, now).minusNanos(nowNanos - nanos);
    }

    /** Returns the drift of the database's clock against the monotonic clock since this reading; negative if it was set back. */
    Duration databaseStep(HostClocks now) {
        return Duration.between(databaseTime, now.databaseTime).minusNanos(now.nanos - nanos);
    }

    static boolean isStep(Duration moved) {
        return moved.abs().compareTo(STEP) >= 0;
    }

    /**
     * Compares the clocks.
     *
     * @param skew the allowed clock difference
     */
    ClockSpread spread(Duration skew) {
        /*
         * An operation with the key time k is applied at time a of the database's clock only if k <= a + skew, by the earlier of the
         * database's and the host's clock. Any node refuses it at time r if k < r - window + skew, by the latest clock that counts. An
         * operation is forgotten only once r > a + window. Then k <= a + skew < r - window + skew, so it is refused, whichever host's
         * clock is wrong.
         *
         * The clock nearest to the database's is taken as right. Other clocks count if they are within the skew of it, and so does the
         * database's; otherwise the earliest host clock replaces it. A host whose clock does not count applies no operation whose key
         * carries a time.
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
