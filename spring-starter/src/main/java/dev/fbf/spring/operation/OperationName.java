package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentScope;
import java.util.Collection;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a program names an operation of a scope.
 *
 * @param key of the program's own, or of the request
 * @param caller another than the request's; null for that, or for nobody in particular
 * @param counters that an operation with a key of the program's own adds to: with others the key names another operation. Which counters a
 *     request is for, its fingerprint tells
 */
public record OperationName(IdempotencyKey key, @Nullable String caller, Collection<String> counters) {

    /** Returns the work that responds to a duplicate. That of a request throws, so that its client gets the first response, or 204. */
    public <T extends @Nullable Object, E extends Throwable> IdempotentScope.Work<T, E> onDuplicate(
            String scope, IdempotentScope.Work<T, E> ofProgram) {
        return key instanceof RequestKey
                ? () -> {
                    throw Refusals.duplicate(scope);
                }
                : ofProgram;
    }

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
                OperationId.of(scope, itsCaller, key.value()), itsCaller, key.value(), request.fingerprint());
    }
}
