package dev.fbf.spring;

import dev.fbf.core.OperationId;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Names the operation of a call of {@link KeyedCounters}: by its scope, its key and its counters. A caller is not part of it: a
 * program that asks again need not have the login of the one that asked first.
 */
final class CounterOperationResolver implements OperationResolver {

    private final Supplier<RetryWindows> windows;

    CounterOperationResolver(Supplier<RetryWindows> windows) {
        this.windows = windows;
    }

    @Override
    public Operation resolve(GuardedMethod method, MethodInvocation call) {
        KeyedDeltas asked = (KeyedDeltas) call.getArguments()[0];
        String key = asked.key().value();
        windows.get().of(method.scope()).requireWithin(key);
        Stream<String> counters = asked.deltas().keySet().stream().sorted();
        return new Operation(
                OperationId.of(Stream.concat(Stream.of(method.scope(), "", key), counters)
                        .toArray(String[]::new)),
                key,
                null);
    }
}
