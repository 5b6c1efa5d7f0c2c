package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import org.jspecify.annotations.Nullable;

/**
 * What a call asks for.
 *
 * @param id names it
 * @param caller asks for it; empty for a program, or nobody in particular
 * @param key what the client calls it
 * @param fingerprint 64 bits of the request that asks for it; null if requests are not compared
 */
public record Operation(
        OperationId id, String caller, String key, @Nullable Long fingerprint) {

    /** What a program asks for. */
    public Operation(OperationId id, String key) {
        this(id, "", key, null);
    }
}
