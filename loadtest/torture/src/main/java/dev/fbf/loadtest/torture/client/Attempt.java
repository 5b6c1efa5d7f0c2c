package dev.fbf.loadtest.torture.client;

import java.util.Locale;

/**
 * One request.
 *
 * @param index of its operation among the client's
 * @param startMillis since the run began
 * @param durationMillis until its end was known
 * @param status the response's; 0 without one
 * @param replayed whether the response said that the operation was applied before
 */
record Attempt(
        int index, int startMillis, int durationMillis, int status, Outcome outcome, Kind kind, boolean replayed) {

    enum Kind {
        FIRST,
        RETRY,
        /** At the same time as another one. */
        TWIN,
        /** After it was acknowledged. */
        REPLAY
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
        NOT_CONNECTED;

        static Outcome of(int status) {
            return switch (status / 100 == 2 ? 200 : status) {
                case 200 -> ACKNOWLEDGED;
                case 409 -> IN_PROGRESS;
                case 503 -> UNAVAILABLE;
                default -> REFUSED;
            };
        }
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
}
