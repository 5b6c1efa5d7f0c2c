package dev.fbf.spring.operation;

import dev.fbf.db.dialect.Response;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Store of the latest responses on the heap, up to a total size. Evicts the oldest response. Thread-safe. */
final class RecentResponses {

    /** Estimated bytes of an entry, in addition to those of its response. */
    private static final long ENTRY = 80;

    private final long maxBytes;
    private final Map<UUID, Response> oldestFirst = new LinkedHashMap<>();
    private long bytes;

    RecentResponses(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Keeps the first response to an operation's request. {@link Response#notKept} replaces an earlier response. */
    synchronized void keep(Response response) {
        remove(response.operation());
        long size = ENTRY + response.size();
        if (response.isKept() && size <= maxBytes) {
            oldestFirst.put(response.operation(), response);
            bytes += size;
        }
        while (bytes > maxBytes) {
            remove(oldestFirst.keySet().iterator().next());
        }
    }

    private void remove(UUID operation) {
        Response removed = oldestFirst.remove(operation);
        bytes -= removed == null ? 0 : ENTRY + removed.size();
    }

    /** Returns the first response to an operation's request; null if it was not kept, or is no longer kept. */
    synchronized @Nullable Response find(Operation operation) {
        return oldestFirst.get(operation.id().toUuid());
    }
}
