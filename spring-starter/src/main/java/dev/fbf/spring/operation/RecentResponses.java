package dev.fbf.spring.operation;

import dev.fbf.db.dialect.Response;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Store of the latest responses on the heap, up to a total size. Evicts the oldest response of all; if one caller in one scope exceeds its
 * share, that caller's oldest. Thread-safe.
 */
final class RecentResponses {

    /** Estimated bytes of a response's entry in the map of all owners. */
    private static final long ENTRY = 80;

    /** Estimated bytes of an owner, in addition to the caller's name. */
    private static final long SHARE = 320;

    /** Divisor of the total size for the share of an owner. An owner that exceeds its share evicts its own responses. */
    private static final int PARTS = 8;

    private final long maxBytes;
    private final Map<UUID, Share> oldestFirst = new LinkedHashMap<>();
    private final Map<List<String>, Share> shares = new HashMap<>();
    private long bytes;

    /** Responses of one caller in one scope. */
    private static final class Share {

        final List<String> owner;
        final long ownBytes;
        final Map<UUID, Response> oldestFirst = new LinkedHashMap<>();
        long bytes;

        Share(List<String> owner, long ownBytes) {
            this.owner = owner;
            this.ownBytes = ownBytes;
            bytes = ownBytes;
        }
    }

    RecentResponses(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Keeps the first response to an operation's request. {@link Response#notKept} replaces an earlier response. */
    synchronized void keep(String scope, Operation operation, Response response) {
        List<String> owner = List.of(scope, operation.caller());
        long ownBytes = SHARE + (long) Character.BYTES * operation.caller().length();
        remove(response.operation());
        long size = ENTRY + response.size();
        if (!response.isKept() || ownBytes + size > maxBytes) {
            return;
        }
        Share share = shares.computeIfAbsent(owner, absent -> new Share(absent, ownBytes));
        bytes += size + (share.oldestFirst.isEmpty() ? ownBytes : 0);
        share.bytes += size;
        share.oldestFirst.put(response.operation(), response);
        oldestFirst.put(response.operation(), share);
        while (bytes > maxBytes) {
            boolean ofItsOwn = share.bytes > maxBytes / PARTS && share.oldestFirst.size() > 1;
            Map<UUID, ?> candidates = ofItsOwn ? share.oldestFirst : oldestFirst;
            remove(candidates.keySet().iterator().next());
        }
    }

    private void remove(UUID operation) {
        Share share = oldestFirst.remove(operation);
        Response removed = share == null ? null : share.oldestFirst.remove(operation);
        if (share == null || removed == null) {
            return;
        }
        long size = ENTRY + removed.size();
        share.bytes -= size;
        bytes -= size;
        if (share.oldestFirst.isEmpty()) {
            shares.remove(share.owner);
            bytes -= share.ownBytes;
        }
    }

    /** Returns the first response to an operation's request; null if it was not kept, or is no longer kept. */
    synchronized @Nullable Response find(Operation operation) {
        UUID id = operation.id().toUuid();
        Share share = oldestFirst.get(id);
        return share == null ? null : share.oldestFirst.get(id);
    }
}
