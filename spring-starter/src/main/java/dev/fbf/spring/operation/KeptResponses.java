package dev.fbf.spring.operation;

import dev.fbf.db.Response;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.ResponseStore;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keeps first responses for retries, beside the database of their operations. Thread-safe. */
public interface KeptResponses {

    /**
     * Returns what keeps responses: the application's own store, or this process's memory.
     *
     * @return null if none are kept
     */
    static @Nullable KeptResponses of(FbfProperties properties, RetryWindows windows, @Nullable ResponseStore own) {
        FbfProperties.Responses responses = properties.responses();
        if (!responses.enabled()) {
            return null;
        }
        return own == null
                ? new RecentResponses(responses.memory())
                : new StoredResponses(own, scope -> windows.of(scope).length());
    }

    /** Returns what keeps the responses of a caller. A {@linkplain Response#notKept note} takes the place of the earlier response. */
    Consumer<Response> of(String scope, String caller);

    /** The response to the request of an operation; null if it is not kept any more, or never was. */
    @Nullable Response find(String scope, UUID operation);
}
