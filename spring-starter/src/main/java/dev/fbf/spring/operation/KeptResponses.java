package dev.fbf.spring.operation;

import dev.fbf.db.dialect.Response;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.ResponseStore;
import org.jspecify.annotations.Nullable;

/** Store of first responses for retries: on the heap, or the application's own. Thread-safe. */
interface KeptResponses {

    /**
     * Returns the application's own store, or else a new one on the heap.
     *
     * @return the store; null if {@code fbf.responses.enabled} is false
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

    /** Keeps the first response to an operation's request. {@link Response#notKept} replaces an earlier response. */
    void keep(String scope, Operation operation, Response response);

    /** Returns the first response to an operation's request; null if it was not kept, or is no longer kept. */
    @Nullable Response find(String scope, Operation operation);
}
