package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.spring.IdempotencyKey;
import java.util.Collection;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Name that a program gives an operation of a scope.
 *
 * @param key the program's own key, or the request's key
 * @param caller replaces the request's caller; null for the request's caller, or for no particular caller
 * @param counters the counters to which an operation with the program's own key adds: the same key with other counters is another
 *     operation
 */
record OperationName(IdempotencyKey key, @Nullable String caller, Collection<String> counters) {

    Operation ofProgram(String scope) {
        OperationId id = OperationId.of(Stream.concat(
                        Stream.of(scope, caller == null ? "" : caller, key.value()),
                        counters.stream().sorted())
                .toArray(String[]::new));
        return new Operation(id, key.value());
    }

    Operation ofRequest(String scope, RequestKey itsKey, HttpRequest request) {
        String itsCaller = caller == null ? itsKey.caller() : caller;
        return new Operation(
                OperationId.of(scope, itsCaller, key.value()), itsCaller, key.value(), request.fingerprint(scope));
    }
}
