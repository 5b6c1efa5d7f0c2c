package dev.fbf.loadtest;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** A report of tallies that we know: ten operations under faults, twenty without. */
final class KnownReport {

    private long guardedCounter = 10;
    private long guardedCounterWithoutFaults = 20;
    private long groupedCounter = 10;
    private long unguardedCounter = 24;
    private long begun = 10;
    private long failed;

    KnownReport guardedCounter(long counter) {
        guardedCounter = counter;
        return this;
    }

    KnownReport groupedCounter(long counter) {
        groupedCounter = counter;
        return this;
    }

    KnownReport guardedCounterWithoutFaults(long counter) {
        guardedCounterWithoutFaults = counter;
        return this;
    }

    KnownReport unguardedCounter(long counter) {
        unguardedCounter = counter;
        return this;
    }

    KnownReport begun(long operations) {
        begun = operations;
        return this;
    }

    KnownReport failed(long operations) {
        failed = operations;
        return this;
    }

    Report report() {
        Map<Endpoint, Report.Row> rows = new EnumMap<>(Endpoint.class);
        rows.put(
                Endpoint.GUARDED,
                new Report.Row(10, guardedCounter, 20, guardedCounterWithoutFaults, faults(), noFaults(1.5)));
        rows.put(Endpoint.UNGUARDED, new Report.Row(10, unguardedCounter, 20, 20, faults(), noFaults(1.2)));
        rows.put(Endpoint.GROUPED, new Report.Row(10, groupedCounter, 20, 20, faults(), noFaults(0.9)));
        Parameters parameters = new Parameters(
                100,
                Duration.ofMillis(100),
                Duration.ofMillis(200),
                Duration.ofMillis(200),
                0.8,
                5,
                0.1,
                0.05,
                Duration.ofMillis(2),
                0.05,
                50,
                Duration.ofSeconds(60),
                42);
        return new Report(parameters, rows);
    }

    private Tally.Outcome faults() {
        Map<Cause, Long> resent = new EnumMap<>(Cause.class);
        resent.put(Cause.ON_PURPOSE, 11L);
        resent.put(Cause.LOST_RESPONSE, 4L);
        Map<Cause, Long> unanswered = new EnumMap<>(Cause.class);
        unanswered.put(Cause.LOST_RESPONSE, 4L);
        return new Tally.Outcome(
                begun, 25, resent, 21, unanswered, 3.25, 1234.5678, 2000.5, failed, Optional.of("it is lost"));
    }

    private static Tally.Outcome noFaults(double p50Millis) {
        return new Tally.Outcome(20, 20, Map.of(), 20, Map.of(), p50Millis, 9.75, 9.875, 0, Optional.empty());
    }
}
