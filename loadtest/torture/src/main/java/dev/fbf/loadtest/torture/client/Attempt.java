package dev.fbf.loadtest.torture.client;

import java.util.Locale;

/**
 * One request, in two longs.
 *
 * @param startMillis since the run began
 * @param durationMillis until its end was known
 * @param status the response's; 0 without one
 * @param replayed whether the response said that the operation was applied before
 */
record Attempt(
        int index, int startMillis, int durationMillis, int status, Outcome outcome, Kind kind, boolean replayed) {

    private static final Outcome[] OUTCOMES = Outcome.values();
    private static final Kind[] KINDS = Kind.values();
    private static final int LONGEST = (1 << 24) - 1;

    enum Kind {
        FIRST,
        RETRY,
        /** At the same time as another one. */
        TWIN,
        /** After it was acknowledged. */
        REPLAY
    }

    long first() {
        return (long) index << Integer.SIZE | startMillis;
    }

    @SuppressWarnings("EnumOrdinal") // the longs never leave the process
    long second() {
        return (long) Math.min(durationMillis, LONGEST) << 24
                | (long) status << 12
                | (long) outcome.ordinal() << 4
                | (long) kind.ordinal() << 1
                | (replayed ? 1 : 0);
    }

    static Attempt of(long first, long second) {
        return new Attempt(
                (int) (first >>> Integer.SIZE),
                (int) first,
                (int) (second >>> 24),
                (int) (second >>> 12) & 0xFFF,
                OUTCOMES[(int) (second >>> 4) & 0xF],
                KINDS[(int) (second >>> 1) & 0x3],
                (second & 1) != 0);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%-6s took %5d ms: %s%s%s",
                kind.name().toLowerCase(Locale.ROOT),
                durationMillis,
                outcome.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                status == 0 ? "" : " " + status,
                replayed ? ", replayed" : "");
    }

    /** How a request ended, as its client saw it. */
    public enum Outcome {
        ACKNOWLEDGED,
        /** 409: another request of the same operation is at work. */
        IN_PROGRESS,
        /** 503. */
        UNAVAILABLE,
        /** Any other answer. */
        REFUSED,
        TIMED_OUT,
        /** The connection broke after the request had begun. */
        CUT,
        /** There was no connection to send it on. */
        NOT_CONNECTED
    }
}
