package dev.fbf.spring.operation;

import dev.fbf.db.dialect.Response;
import dev.fbf.spring.IdempotencyKey;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** HTTP request of a guarded method: its key and headers, and the operation's effect on the response. Confined to its thread. */
public abstract class HttpRequest {

    /** The response header that distinguishes a replay from the first response. */
    public static final String REPLAYED = "Idempotent-Replayed";

    private @Nullable RequestKey key;

    /**
     * Sets the key that the request's handler takes as an argument.
     *
     * @param caller the caller of the request; empty for no particular caller
     * @return the key
     */
    public final IdempotencyKey take(String value, String caller) {
        key = new RequestKey(value, caller);
        return key;
    }

    /** Returns the key that the request's handler takes as an argument; null if there is none. */
    public final @Nullable IdempotencyKey key() {
        return key;
    }

    /** Returns the values of a header, one per line of the request. */
    public abstract List<String> header(String name);

    /**
     * Returns a 64-bit digest of the request; null if the scope does not compare requests. Called when the request has reached a guarded
     * operation.
     */
    public abstract @Nullable Long fingerprint(String scope);

    /** Marks the response as a replay. */
    public abstract void replayed();

    /**
     * Passes the response to the receiver when it is complete. The receiver gets {@link Response#notKept} if the response has a status of
     * 500 or more, is too long, belongs to several operations, or is not written by Spring MVC from the handler's value.
     */
    public abstract void recordResponse(UUID operation, Consumer<Response> receiver);

    /** Makes the response depend on the outcome of an operation whose transaction is still open. */
    public abstract void follow(Execution operation);
}
