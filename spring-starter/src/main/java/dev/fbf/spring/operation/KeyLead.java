package dev.fbf.spring.operation;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/** How far the times of keys that were let through are ahead of the monotonic clock, at most. Thread-safe. */
final class KeyLead {

    /*
     * The wall clocks may be set back: by the monotonic clock, the keys of operations that may have been forgotten are older than the
     * newest of them all by the window. A maximum counts for one period after its own: a clock that is corrected now and then would
     * raise it for ever.
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

    /** Returns what time a key that is let through now has, at most, as far as earlier ones show. */
    Instant newest() {
        long now = millis();
        Period known = period.updateAndGet(before -> before.at(now));
        return Instant.ofEpochMilli(Math.max(0, now + Math.max(known.most, known.mostBefore)));
    }

    private long millis() {
        return nanoTime.getAsLong() / 1_000_000;
    }
}
