package dev.fbf.db.node;

import java.time.Duration;

/**
 * Where other clocks are beside that of this host: those of the database and of the hosts of living nodes. Immutable.
 *
 * @param earliest a clock by which no operation's key may be from the future, less this host's clock
 * @param latest a clock by which no operation's key may be too old, less this host's clock
 * @param wrongBy how far this host's clock is ahead of the database's, if it is wrong; else zero
 */
public record ClockSpread(Duration earliest, Duration latest, Duration wrongBy) {

    /** The spread for a host that knows no other clock. */
    public static final ClockSpread NONE = new ClockSpread(Duration.ZERO, Duration.ZERO, Duration.ZERO);
}
