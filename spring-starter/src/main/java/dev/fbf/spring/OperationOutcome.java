package dev.fbf.spring;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How a call that applies an operation came out, as far as is known when it returns. */
public enum OperationOutcome {
    /** The operation was applied now, and its COMMIT is known. */
    APPLIED,
    /** The work has run in its caller's transaction, which has not ended yet. */
    PENDING,
    /** The operation was applied before. */
    REPLAYED,
    /** The call came without a key, and was let through unguarded. */
    KEYLESS,
    /** What the work, or its transaction, has thrown was passed on. */
    FAILED,
    /** The key is missing or malformed. */
    KEY_INVALID("idempotency-key", 400, false, "Idempotency key missing or malformed", "Send one idempotency key."),
    /** The key is from the future, or has no time and must have one. */
    KEY_TIME(
            "idempotency-key-time",
            400,
            false,
            "Idempotency key without a time, or from the future",
            "Send a key that carries the time at which the operation begins, by a clock that is right."),
    /** The key is older than operations are remembered. */
    KEY_TOO_OLD(
            "idempotency-key-too-old",
            412,
            false,
            "Idempotency key older than the window",
            "The operation is not applied now, and whether it was cannot be told. Look at the resource before it is sent"
                    + " with a new key."),
    /** The key is that of another request. */
    KEY_REUSED(
            "idempotency-key-reused",
            422,
            false,
            "Idempotency key of another request",
            "An operation with this key was applied, for a request with another method, path, query or body. Send a new operation"
                    + " with a new key."),
    /** Another call is applying the same operation. */
    IN_PROGRESS(
            "in-progress",
            409,
            true,
            "Operation in progress",
            "Another request is applying the operation. Retry with the same key."),
    /** It is not known yet whether the operation was applied. */
    IN_DOUBT(
            "in-doubt",
            503,
            true,
            "Operation in doubt",
            "Whether the operation was applied is not known yet. Retry with the same key."),
    /** As many operations as there is room for are being applied, or the operation had no turn in time. */
    NO_ROOM(
            "no-room",
            503,
            true,
            "Too many operations at the same time",
            "The operation is not applied now. Retry with the same key."),
    /** What was in doubt before is not settled yet, or operations are held back. */
    RECOVERING(
            "recovering",
            503,
            true,
            "Operations of the last run not settled yet",
            "The operation is not applied now. Retry with the same key."),
    /** The application is stopping. */
    STOPPED("stopping", 503, true, "Stopping", "The operation is not applied now. Retry with the same key.");

    private static final String TYPE = "tag:fbf.dev,2026:problem:";

    private final String code;
    private final int status;
    private final boolean retry;
    private final String title;
    private final String advice;

    /** One that clients see as the response of the work. */
    OperationOutcome() {
        this("", 0, false, "", "");
    }

    /** One that HTTP clients are told as a problem (RFC 9457). */
    OperationOutcome(String code, int status, boolean retry, String title, String advice) {
        this.code = code;
        this.status = status;
        this.retry = retry;
        this.title = title;
        this.advice = advice;
    }

    /**
     * Those that HTTP clients are told as a problem.
     *
     * @param comparesRequests whether requests are compared
     */
    static List<OperationOutcome> problems(boolean comparesRequests) {
        return Arrays.stream(values())
                .filter(outcome -> !outcome.code.isEmpty())
                .filter(outcome -> outcome != KEY_REUSED || comparesRequests)
                .toList();
    }

    /** The last part of the problem's type, and of the codes under which messages can be given for it. */
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
        return retry;
    }

    /** The problem in a few words. */
    String title() {
        return title;
    }

    /** What a client should do. */
    String advice() {
        return advice;
    }

    /**
     * Returns what it is called in meters and traces.
     *
     * @return the name in lower case, with hyphens
     */
    public String value() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
