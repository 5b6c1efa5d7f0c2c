package dev.fbf.process.clock;

import org.apache.cassandra.utils.Clock;

/** The clock of a node, ahead of this machine's by the milliseconds of the system property {@value #AHEAD}. Named by {@code cassandra.clock}. */
public final class SkewedClock implements Clock {

    static final String AHEAD = "fbf.clock.ahead.millis";

    private final long aheadMillis = Long.getLong(AHEAD, 0);

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis() + aheadMillis;
    }
}
