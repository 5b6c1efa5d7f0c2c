package dev.fbf.spring.operation;

import dev.fbf.db.dialect.Response;
import dev.fbf.spring.IdempotencyKey;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** HTTP request of a guarded method: its key and headers, and the operation's effect on the response. Confined to its thread. */
public interface HttpRequest {

    /** The response header that distinguishes a replay from the first response. */
    String REPLAYED = "Idempotent-Replayed";

    /**
     * Sets the key that the request's handler takes as an argument.
     *
     * @param caller the caller of the request; empty for no particular caller
     * @return the key
     */
    IdempotencyKey take(String value, String caller);

    /** Returns the key that the request's handler takes as an argument; null if there is none. */
    @Nullable IdempotencyKey key();

    /** Returns the values of a header, one per line of the request. */
    List<String> header(String name);

    /**
     * Returns a 64-bit digest of the request; null if the scope does not compare requests. Called when the request has reached a guarded
     * operation.
     */
    @Nullable Long fingerprint(String scope);

    /** Marks the response as a replay. */
    void replayed();

    /**
     * Passes the response to the receiver when it is complete. The receiver gets {@link Response#notKept} if the response has a status of
     * 500 or more, is too long, belongs to several operations, or is not written by Spring MVC from the handler's value.
     */
    void recordResponse(UUID operation, Consumer<Response> receiver);

    /** Makes the response depend on the outcome of an operation whose transaction is still open. */
    void follow(Execution operation);
}
