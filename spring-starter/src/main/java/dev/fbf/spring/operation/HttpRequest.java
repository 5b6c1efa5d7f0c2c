package dev.fbf.spring.operation;

import dev.fbf.db.Response;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** HTTP request of a guarded method: its key and headers, and the method's effect on the response. */
public interface HttpRequest {

    /** The response header that distinguishes a replay from the first response. */
    String REPLAYED = "Idempotent-Replayed";

    /** The values of a header, one for each line that it came in. */
    List<String> header(String name);

    /** 64 bits of the request's method, path, query and body; null if requests are not compared. */
    @Nullable Long fingerprint();

    /** Notes that a guard has been asked for an operation of the request. */
    void reached();

    /** The key that the handler of the request takes as an argument; null if it takes none. */
    @Nullable RequestKey key();

    /** Sets a header of the response. */
    void respondWith(String header, String value);

    /**
     * Hands over the response once the client has got it, or the note that it is {@linkplain Response#notKept not kept}: because it is long,
     * or the response to several operations.
     *
     * @param statuses tests whether a response of this status is kept
     */
    void recordResponse(UUID operation, IntPredicate statuses, Consumer<Response> receiver);

    /** Makes the response depend on the outcome of an operation whose transaction is still open. */
    void follow(Execution operation);
}
