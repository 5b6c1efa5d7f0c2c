package dev.fbf.spring.operation;

import dev.fbf.db.Response;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** HTTP request of a guarded method: its key and headers, and the operation's effect on the response. */
public interface HttpRequest {

    /** The response header that distinguishes a replay from the first response. */
    String REPLAYED = "Idempotent-Replayed";

    /** Returns the values of a header, one per line of the request. */
    List<String> header(String name);

    /**
     * Returns a 64-bit digest of the request's method, path, query and body; null if requests are not compared. Called when the request has
     * reached a guarded operation.
     */
    @Nullable Long fingerprint();

    /** Returns the key that the request's handler takes as an argument; null if it takes none. */
    @Nullable RequestKey key();

    /** Marks the response as a replay, which is not recorded. */
    void replayed();

    /**
     * Passes the response to the receiver after it was sent. The receiver gets {@link Response#notKept} if the response has a status of 500
     * or more, is too long, or belongs to several operations.
     */
    void recordResponse(UUID operation, Consumer<Response> receiver);

    /** Makes the response depend on the outcome of an operation whose transaction is still open. */
    void follow(Execution operation);
}
