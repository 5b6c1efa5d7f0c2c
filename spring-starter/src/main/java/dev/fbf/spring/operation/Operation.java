package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import org.jspecify.annotations.Nullable;

/**
 * An operation that a call requests.
 *
 * @param id its ID
 * @param caller the name of the caller; empty for a program, or nobody in particular
 * @param key the client's name for it
 * @param fingerprint 64-bit digest of the request; null if requests are not compared
 */
public record Operation(
        OperationId id, String caller, String key, @Nullable Long fingerprint) {

    /** Creates an operation that a program requests. */
    public Operation(OperationId id, String key) {
        this(id, "", key, null);
    }
}
