package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.spring.IdempotencyKey;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
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

    /** Creates an operation that a scope, a caller and a key name. */
    public Operation(String scope, String caller, String key, @Nullable Long fingerprint) {
        this(OperationId.of(scope, caller, key), caller, key, fingerprint);
    }

    /** Creates an operation that a program requests. */
    Operation(OperationId id, String key) {
        this(id, "", key, null);
    }

    /**
     * Creates an operation that a program names.
     *
     * @param caller null for no particular caller
     * @param counters the counters to which the operation adds: the same key with other counters is another operation
     */
    static Operation ofProgram(String scope, @Nullable String caller, IdempotencyKey key, Collection<String> counters) {
        Stream<String> names = Stream.of(scope, caller == null ? "" : caller, key.value());
        return new Operation(
                OperationId.of(Stream.concat(names, counters.stream().sorted()).toArray(String[]::new)), key.value());
    }
}
