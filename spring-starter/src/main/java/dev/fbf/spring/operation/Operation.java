package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.db.counter.CounterRow;
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
 * @param time the time that its key contains; null if the key contains none
 * @param fingerprint 64-bit digest of the request; null if requests are not compared
 * @param counter the counter whose value a retry gets; null if there is not exactly one
 * @param applied the details that the call has found, if the operation was applied
 */
public record Operation(
        OperationId id,
        @Nullable Instant time,
        @Nullable Long fingerprint,
        @Nullable CounterRow counter,
        AtomicReference<Ledger.@Nullable Found> applied) {

    /** Creates an operation without known details. */
    public Operation(OperationId id, String key, @Nullable Long fingerprint) {
        this(id, KeyTime.of(key), fingerprint, null, new AtomicReference<>());
    }

    /** Creates an operation that a scope, a caller and a key name. */
    public Operation(String scope, String caller, String key, @Nullable Long fingerprint) {
        this(OperationId.of(scope, caller, key), key, fingerprint);
    }

    /**
     * Creates the operation that a program's key names; returns null for a request's key, which names it with its request.
     *
     * @param caller null for no particular caller
     * @param counters the counters to which the operation adds: the same key with other counters is another operation
     * @param counter the counter whose value a retry gets; null if there is not exactly one
     */
    public static @Nullable Operation ofProgram(
            String scope,
            @Nullable String caller,
            IdempotencyKey key,
            Collection<String> counters,
            @Nullable CounterRow counter) {
        if (key instanceof RequestKey) {
            return null;
        }
        Stream<String> names = Stream.of(scope, caller == null ? "" : caller, key.value());
        OperationId id =
                OperationId.of(Stream.concat(names, counters.stream().sorted()).toArray(String[]::new));
        return new Operation(id, KeyTime.of(key.value()), null, counter, new AtomicReference<>());
    }
}
