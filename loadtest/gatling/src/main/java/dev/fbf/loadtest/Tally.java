package dev.fbf.loadtest;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Counts what the clients of one endpoint did in one phase, and what they saw. Safe for use by many threads. */
final class Tally {

    private static final int SIGNIFICANT_DIGITS = 3;

    /** Why an operation was sent once more. */
    enum Cause {
        /** The operation was acknowledged, and is sent again all the same. */
        ON_PURPOSE,
        /** The connection ended without a response. */
        LOST_RESPONSE,
        /** The client stopped waiting. */
        GAVE_UP,
        /** 409: another request for the same operation is being worked on. */
        IN_PROGRESS,
        /** 503: the server has no room now. */
        NO_ROOM,
        /** Any other answer that acknowledges nothing. */
        REFUSED;

        /** What a response that acknowledges nothing makes of the next request. */
        static Cause ofStatus(int status) {
            return switch (status) {
                case 409 -> IN_PROGRESS;
                case 503 -> NO_ROOM;
                default -> REFUSED;
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Map<Cause, Long> resent = new EnumMap<>(Cause.class);
    private final Histogram responseTimes = new Histogram(SIGNIFICANT_DIGITS);
    private long operations;
    private long sent;
    private long acknowledged;
    private long failed;
    private @Nullable String firstFailure;

    synchronized void operation() {
        operations++;
    }

    /** @param cause null for the first request of an operation */
    synchronized void sent(@Nullable Cause cause) {
        sent++;
        if (cause != null) {
            resent.merge(cause, 1L, Long::sum);
        }
    }

    synchronized void acknowledged() {
        acknowledged++;
    }

    synchronized void answeredAfter(long nanos) {
        responseTimes.recordValue(nanos);
    }

    synchronized void failed(String message) {
        failed++;
        if (firstFailure == null) {
            firstFailure = message;
        }
    }

    synchronized Outcome outcome() {
        return new Outcome(
                operations,
                sent,
                new EnumMap<>(resent),
                acknowledged,
                millis(50),
                millis(99),
                millis(99.9),
                failed,
                Optional.ofNullable(firstFailure));
    }

    private double millis(double percentile) {
        return (double) responseTimes.getValueAtPercentile(percentile) / TimeUnit.MILLISECONDS.toNanos(1);
    }

    /**
     * What became of the operations so far.
     *
     * @param sent requests: one for each operation, and the resent ones; a client in a hurry may give up before its
     *     request has left
     * @param resent requests beyond the first one of each operation, by cause
     * @param p50Millis half the acknowledged requests were answered in this time, those of clients in a hurry left out
     */
    record Outcome(
            long operations,
            long sent,
            Map<Cause, Long> resent,
            long acknowledged,
            double p50Millis,
            double p99Millis,
            double p999Millis,
            long failed,
            Optional<String> firstFailure) {}
}
