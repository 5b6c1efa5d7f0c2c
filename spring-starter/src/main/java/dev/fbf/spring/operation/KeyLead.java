package dev.fbf.spring.operation;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/** Maximum lead of the times of accepted keys over the monotonic clock. Thread-safe. */
final class KeyLead {

    /*
     * Detects forgotten operations even if all wall clocks are set back: by the monotonic clock, their keys are older than the newest
     * accepted key by at least the window. Each maximum expires after the period that follows its own; otherwise occasional corrections of
     * a clock would raise it forever.
     */
    private static final long PERIOD = Duration.ofDays(2).toMillis();

    private final LongSupplier nanoTime;
    private final AtomicReference<Period> period;

    private record Period(long begin, long most, long mostBefore) {

        Period at(long now) {
            return now - begin < PERIOD ? this : new Period(now, Long.MIN_VALUE / 2, most);
        }

        Period with(long lead) {
            return lead <= most ? this : new Period(begin, lead, mostBefore);
        }
    }

    KeyLead(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        period = new AtomicReference<>(new Period(millis(), Long.MIN_VALUE / 2, Long.MIN_VALUE / 2));
    }

    void add(Instant keyTime) {
        long now = millis();
        period.updateAndGet(known -> known.at(now).with(keyTime.toEpochMilli() - now));
    }

    /** Returns the estimated time of the newest key that would be accepted now, judged by earlier keys. */
    Instant newest() {
        long now = millis();
        Period known = period.updateAndGet(before -> before.at(now));
        return Instant.ofEpochMilli(Math.max(0, now + Math.max(known.most, known.mostBefore)));
    }

    private long millis() {
        return nanoTime.getAsLong() / 1_000_000;
    }
}
