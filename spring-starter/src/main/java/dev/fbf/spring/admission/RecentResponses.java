package dev.fbf.spring.admission;

import dev.fbf.db.Response;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps the latest responses in memory, as many as there is room for: the oldest give way. Thread-safe. */
public final class RecentResponses {

    private final long maxBytes;
    private final Map<UUID, Response> byOperation = new LinkedHashMap<>();
    private long bytes;

    public RecentResponses(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    public synchronized void add(Response response) {
        Response before = byOperation.remove(response.operation());
        bytes += response.size() - (before == null ? 0 : before.size());
        byOperation.put(response.operation(), response);
        Iterator<Response> oldest = byOperation.values().iterator();
        while (bytes > maxBytes) {
            bytes -= oldest.next().size();
            oldest.remove();
        }
    }

    /** The response to the request of an operation; null if it is not kept any more, or never was. */
    public synchronized @Nullable Response find(UUID operation) {
        return byOperation.get(operation);
    }
}
