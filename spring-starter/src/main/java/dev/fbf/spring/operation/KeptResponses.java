package dev.fbf.spring.operation;

import dev.fbf.db.Response;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.ResponseStore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Store of first responses, for retries: on the heap, in the ledger, or the application's own. Thread-safe. */
public interface KeptResponses {

    /**
     * Returns what keeps responses: the application's own store, or this process's memory.
     *
     * @return null if none are kept
     */
    static @Nullable KeptResponses of(FbfProperties properties, Scopes scopes, @Nullable ResponseStore own) {
        FbfProperties.Responses responses = properties.responses();
        if (!responses.enabled()) {
            return null;
        }
        return own == null
                ? new RecentResponses(responses.memory())
                : new StoredResponses(own, scope -> scopes.of(scope).retryWindow());
    }

    /** Returns what keeps the responses of a caller. A {@linkplain Response#notKept note} takes the place of the earlier response. */
    Consumer<Response> of(String scope, String caller);

    /** The response to the request of an operation; null if it is not kept any more, or never was. */
    @Nullable Response find(String scope, Operation operation);
}
