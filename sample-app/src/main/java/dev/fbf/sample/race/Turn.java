package dev.fbf.sample.race;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * What a contender did in one or more turns.
 *
 * @param operations operations that were acknowledged
 * @param took how long that took altogether
 * @param micros how long each operation waited for its first acknowledgement, in microseconds
 */
record Turn(long operations, Duration took, Histogram micros) {

    static Turn none() {
        return new Turn(0, Duration.ZERO, new Histogram(3));
    }

    Turn plus(Turn other) {
        Histogram both = micros.copy();
        both.add(other.micros);
        return new Turn(operations + other.operations, took.plus(other.took), both);
    }

    long perSecond() {
        return took.isZero() ? 0 : Math.round(operations * 1e9 / took.toNanos());
    }

    double millisAt(double percentile) {
        return micros.getValueAtPercentile(percentile) / 1000.0;
    }
}
