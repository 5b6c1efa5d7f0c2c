package dev.fbf.sample.fault;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** Decides which responses get lost. Off at startup, and off again by itself when its time is over. */
@Component
class LostResponses {

    private final AtomicLong lostSoFar = new AtomicLong();
    private volatile Spell spell = new Spell(0, System.nanoTime());

    /** Loses the given share of responses from now on for the given time; the count starts at 0. */
    void switchOn(double share, Duration time) {
        lostSoFar.set(0);
        spell = new Spell(share, System.nanoTime() + time.toNanos());
    }

    void switchOff() {
        spell = new Spell(0, System.nanoTime());
    }

    boolean strikes() {
        Spell current = spell;
        return current.isOn() && ThreadLocalRandom.current().nextDouble() < current.share;
    }

    void countOne() {
        lostSoFar.incrementAndGet();
    }

    Status status() {
        Spell current = spell;
        return new Status(current.isOn() ? current.share : 0, current.remainingSeconds(), lostSoFar.get());
    }

    /**
     * The state of the switch.
     *
     * @param lostResponses the share of responses that get lost, 0 while off
     * @param remainingSeconds until it is off, rounded up; 0 while off
     * @param lostSoFar the responses lost since it was last switched on
     */
    record Status(double lostResponses, long remainingSeconds, long lostSoFar) {}

    private record Spell(double share, long endNanos) {

        boolean isOn() {
            return endNanos - System.nanoTime() > 0;
        }

        long remainingSeconds() {
            long nanos = endNanos - System.nanoTime();
            return nanos <= 0
                    ? 0
                    : Duration.ofNanos(nanos).plusNanos(999_999_999).toSeconds();
        }
    }
}
