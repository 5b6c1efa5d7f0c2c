package dev.fbf.db.node;

import java.time.Duration;

/**
 * Offsets of other clocks from this host's clock: those of the database and of the hosts of live nodes. Immutable.
 *
 * @param earliest the offset of the clock that decides whether a key's time is in the future
 * @param latest the offset of the clock that decides whether a key is too old
 * @param wrongBy how far this host's clock is ahead of the database's clock (negative: behind) if this host's is wrong; otherwise zero
 */
public record ClockSpread(Duration earliest, Duration latest, Duration wrongBy) {

    /** Spread of a host without other clocks. */
    public static final ClockSpread NONE = new ClockSpread(Duration.ZERO, Duration.ZERO, Duration.ZERO);
}
