package dev.fbf.spring;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call that applies an operation, as known when the call returns. Includes the reasons of refusals, each with its HTTP
 * status and, for clients, its problem (RFC 9457).
 */
public enum OperationOutcome {
    /** This call applied the operation, and its COMMIT is known. */
    APPLIED,
    /** The work has run in its caller's transaction, which has not ended yet. */
    PENDING,
    /** The operation was applied before. */
    REPLAYED(204, null, ""),
    /** The call had no key and ran unguarded. */
    KEYLESS,
    /** The call threw an exception that is not its refusal, or the work marked its transaction rollback-only and returned. */
    FAILED,
    /** The key is missing or malformed, or its caller has no usable name. */
    KEY_INVALID(400, "idempotency-key", "Idempotency key missing or malformed"),
    /** The key's time is in the future, or a required time is missing. */
    KEY_TIME(400, "idempotency-key-time", "Idempotency key without a time, or from the future"),
    /** The key is so old that the operation may have been applied and forgotten. */
    KEY_TOO_OLD(412, "idempotency-key-too-old", "Idempotency key older than the window"),
    /** An operation with the key was applied, for another request. */
    KEY_REUSED(422, "idempotency-key-reused", "Idempotency key of another request"),
    /** Another call is applying the same operation, or is still producing its response. */
    IN_PROGRESS(409, "in-progress", "Operation in progress"),
    /** The outcome of the operation is not known yet, or its result was lost. */
    IN_DOUBT(503, "in-doubt", "Operation in doubt"),
    /**
     * The limit of concurrent operations or connections is reached, or the operation was not committed before its timeout or because of
     * conflicts.
     */
    NO_ROOM("no-room", "Too many operations at the same time"),
    /** The outcomes of earlier operations are not known here yet. */
    RECOVERING("recovering", "Operations of the last run not settled yet"),
    /** Retries of operations that are not remembered here may still arrive, or another process applies the scope's operations. */
    HELD_BACK("held-back", "Operations held back"),
    /**
     * The database could not be reached or did not confirm this process, its connection broke before COMMIT, or fbf's tables cannot be
     * used; the operation was not applied.
     */
    UNREACHABLE("unreachable", "Database not available"),
    /** The application is stopping, or a file of fbf failed. */
    STOPPED("stopping", "Stopping");

    private static final String TYPE = "tag:fbf.dev,2026:problem:";

    private final int status;
    private final @Nullable String problem;
    private final String title;

    OperationOutcome() {
        this(0, null, "");
    }

    /** Creates a temporary refusal. */
    OperationOutcome(String problem, String title) {
        this(503, problem, title);
    }

    OperationOutcome(int status, @Nullable String problem, String title) {
        this.status = status;
        this.problem = problem;
        this.title = title;
    }

    /**
     * Returns the HTTP status of a refusal.
     *
     * @return 0 if the call is not refused
     */
    public int status() {
        return status;
    }

    /**
     * Returns whether clients should retry with the same key.
     *
     * @return false also for a call that was not refused
     */
    public boolean isRetryable() {
        return status == 409 || status == 503;
    }

    /**
     * Returns the name of the problem, which ends its type.
     *
     * @return null if the outcome is not a problem
     */
    public @Nullable String problem() {
        return problem;
    }

    /**
     * Returns the type of the problem, a tag URI (RFC 4151) that is the same in all versions.
     *
     * @return the type; without meaning if the outcome is not a problem
     */
    public URI type() {
        return URI.create(TYPE + problem);
    }

    /**
     * Returns the title of the problem.
     *
     * @return a few words; empty if the outcome is not a problem
     */
    public String title() {
        return title;
    }

    /**
     * Returns the name of the outcome in meters and traces.
     *
     * @return the name in lower case, with hyphens
     */
    public String value() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
