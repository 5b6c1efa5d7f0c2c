package dev.fbf.spring;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Why an operation is not applied, as HTTP clients are told (RFC 9457). */
enum Problem {
    IDEMPOTENCY_KEY(400, false, "Idempotency key missing or malformed", "Send one idempotency key."),
    IDEMPOTENCY_KEY_TIME(
            400,
            false,
            "Idempotency key without a time, or from the future",
            "Send a key that carries the time at which the operation begins, by a clock that is right."),
    IDEMPOTENCY_KEY_TOO_OLD(
            412,
            false,
            "Idempotency key older than the window",
            "The operation is not applied now, and whether it was cannot be told. Look at the resource before it is sent"
                    + " with a new key."),
    IDEMPOTENCY_KEY_REUSED(
            422,
            false,
            "Idempotency key of another request",
            "An operation with this key was applied, for a request with another method, path, query or body. Send a new operation"
                    + " with a new key."),
    IN_PROGRESS(
            409, true, "Operation in progress", "Another request is applying the operation. Retry with the same key."),
    IN_DOUBT(
            503,
            true,
            "Operation in doubt",
            "Whether the operation was applied is not known yet. Retry with the same key."),
    NO_ROOM(
            503,
            true,
            "Too many operations at the same time",
            "The operation is not applied now. Retry with the same key."),
    STARTING(
            503,
            true,
            "Operations of the last run not settled yet",
            "The operation is not applied now. Retry with the same key."),
    STOPPING(503, true, "Stopping", "The operation is not applied now. Retry with the same key.");

    private static final String TYPE = "tag:fbf.dev,2026:problem:";

    private final int status;
    private final boolean retry;
    private final String title;
    private final String advice;

    Problem(int status, boolean retry, String title, String advice) {
        this.status = status;
        this.retry = retry;
        this.title = title;
        this.advice = advice;
    }

    /**
     * Those that clients can be told of.
     *
     * @param comparesRequests whether requests are compared
     */
    static List<Problem> possible(boolean comparesRequests) {
        return Arrays.stream(values())
                .filter(problem -> problem != IDEMPOTENCY_KEY_REUSED || comparesRequests)
                .toList();
    }

    int status() {
        return status;
    }

    /** Whether the same request may be answered otherwise a little later. */
    boolean isWorthRetrying() {
        return retry;
    }

    String title() {
        return title;
    }

    /** What a client should do. */
    String advice() {
        return advice;
    }

    /** Stays the same in all versions (a tag URI, RFC 4151). */
    URI type() {
        return URI.create(TYPE + code());
    }

    /** The last part of the type, and of the codes under which messages can be given for it. */
    String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
