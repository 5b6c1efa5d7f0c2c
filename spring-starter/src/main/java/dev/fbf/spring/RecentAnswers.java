package dev.fbf.spring;

import dev.fbf.db.Answer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps the latest answers in memory, as many as there is room for: the oldest give way. Thread-safe. */
final class RecentAnswers {

    /** An estimate, in bytes, of what an answer takes beside its body: the entry, the id, and headers. */
    private static final long BESIDE_BODY = 256;

    private final long maxBytes;
    private final Map<UUID, Answer> byOperation = new LinkedHashMap<>();
    private long bytes;

    RecentAnswers(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    synchronized void add(Answer answer) {
        Answer before = byOperation.remove(answer.operation());
        bytes += size(answer) - (before == null ? 0 : size(before));
        byOperation.put(answer.operation(), answer);
        Iterator<Answer> oldest = byOperation.values().iterator();
        while (bytes > maxBytes) {
            bytes -= size(oldest.next());
            oldest.remove();
        }
    }

    /** The answer to the request of an operation; null if it is not kept any more, or never was. */
    synchronized @Nullable Answer find(UUID operation) {
        return byOperation.get(operation);
    }

    private static long size(Answer answer) {
        return BESIDE_BODY + answer.body().length;
    }
}
