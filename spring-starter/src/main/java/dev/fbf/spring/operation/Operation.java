package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.db.dialect.Ledger;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An operation that a call requests.
 *
 * @param id its ID
 * @param caller the name of the caller; empty for a program, or for no particular caller
 * @param time the time that its key contains; null if the key contains none
 * @param fingerprint 64-bit digest of the request; null if requests are not compared
 * @param applied the details that the call has found, if the operation was applied
 */
public record Operation(
        OperationId id,
        String caller,
        @Nullable Instant time,
        @Nullable Long fingerprint,
        AtomicReference<Ledger.@Nullable Found> applied) {

    /** Creates an operation without known details. */
    public Operation(OperationId id, String caller, String key, @Nullable Long fingerprint) {
        this(id, caller, KeyTime.of(key), fingerprint, new AtomicReference<>());
    }

    /** Creates an operation that a program requests. */
    Operation(OperationId id, String key) {
        this(id, "", key, null);
    }
}
