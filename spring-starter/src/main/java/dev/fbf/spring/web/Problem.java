package dev.fbf.spring.web;

import dev.fbf.spring.OperationOutcome;
import java.net.URI;
import java.util.Arrays;
import java.util.List;

/** Problems (RFC 9457) in responses to HTTP clients, each with the name of its {@link OperationOutcome}. */
enum Problem {
    KEY_INVALID("idempotency-key", 400, "Idempotency key missing or malformed", "Send one idempotency key."),
    KEY_TIME(
            "idempotency-key-time",
            400,
            "Idempotency key without a time, or from the future",
            "Send a key that carries the time at which the operation begins, by a clock that is right."),
    KEY_TOO_OLD(
            "idempotency-key-too-old",
            412,
            "Idempotency key older than the window",
            "The operation is not applied now, and whether it was cannot be told. Look at the resource before it is sent"
                    + " with a new key."),
    KEY_REUSED(
            "idempotency-key-reused",
            422,
            "Idempotency key of another request",
            "An operation with this key was applied, for a request with another method, path, query or body. Send a new operation"
                    + " with a new key."),
    IN_PROGRESS(
            "in-progress",
            409,
            "Operation in progress",
            "Another request is applying the operation. Retry with the same key."),
    IN_DOUBT(
            "in-doubt",
            503,
            "Operation in doubt",
            "Whether the operation was applied is not known yet. Retry with the same key."),
    NO_ROOM(
            "no-room",
            503,
            "Too many operations at the same time",
            "The operation is not applied now. Retry with the same key."),
    RECOVERING(
            "recovering",
            503,
            "Operations of the last run not settled yet",
            "The operation is not applied now. Retry with the same key."),
    HELD_BACK("held-back", 503, "Operations held back", "The operation is not applied now. Retry with the same key."),
    UNREACHABLE(
            "unreachable", 503, "Database not available", "The operation is not applied now. Retry with the same key."),
    STOPPED("stopping", 503, "Stopping", "The operation is not applied now. Retry with the same key.");

    private static final String TYPE = "tag:fbf.dev,2026:problem:";

    private final String code;
    private final int status;
    private final String title;
    private final String advice;

    Problem(String code, int status, String title, String advice) {
        this.code = code;
        this.status = status;
        this.title = title;
        this.advice = advice;
    }

    /** The problem of an operation that is refused. */
    static Problem of(OperationOutcome reason) {
        return valueOf(reason.name());
    }

    /**
     * Those that there are.
     *
     * @param comparesRequests whether requests are compared
     */
    static List<Problem> all(boolean comparesRequests) {
        return Arrays.stream(values())
                .filter(problem -> problem != KEY_REUSED || comparesRequests)
                .toList();
    }

    /** The last part of the type, and of the codes under which messages can be given for it. */
    String code() {
        return code;
    }

    /** The problem's type, the same in all versions (a tag URI, RFC 4151). */
    URI type() {
        return URI.create(TYPE + code);
    }

    /** The HTTP status of the problem. */
    int status() {
        return status;
    }

    /** Whether the same request may get another response a little later. */
    boolean isWorthRetrying() {
        return OperationOutcome.valueOf(name()).isRetryable();
    }

    /** The problem in a few words. */
    String title() {
        return title;
    }

    String advice() {
        return advice;
    }
}
