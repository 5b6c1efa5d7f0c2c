package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.DriverException;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/** Counters in lanes, whose increments {@link OperationExecutor} applies. Thread-safe. */
record GuardedLaneCounters(
        OperationSettings settings, Supplier<LaneGuards> guards, Supplier<OperationExecutor> executor, Duration timeout)
        implements CassandraCounters {

    @Override
    public Map<String, Long> increment(Map<String, Long> deltas) {
        LaneCall call = LaneCall.current();
        if (call == null) {
            throw new IllegalStateException(
                    "scope=" + settings.scope() + ": the caller is not an @IdempotentIncrement method of this scope, so"
                            + " there is no operation that could be applied once. Call from one, or name the operation:"
                            + " increment(key, counter, delta).");
        }
        if (!call.scope().equals(settings.scope())) {
            throw new IllegalStateException("scope=" + settings.scope() + ": the method that calls has the scope "
                    + call.scope() + ". Name the same scope in its @IdempotentIncrement(scope = \"…\").");
        }
        return call.increment(deltas, timeout);
    }

    @Override
    public Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas) {
        Map<String, Long> copy = Map.copyOf(deltas);
        Map<String, Long> values = executor.get()
                .increment(
                        settings,
                        guards.get(),
                        key,
                        Operation.ofProgram(settings.scope(), null, key, copy.keySet(), null),
                        execution -> ((LaneCall) execution).increment(copy, timeout),
                        () -> existing(copy.keySet()));
        return Objects.requireNonNull(values);
    }

    /** Returns the values, with 0 for a missing counter: then the operation was a false positive. */
    private Map<String, Long> existing(Set<String> counters) {
        Map<String, Long> values = new HashMap<>(values(counters));
        counters.forEach(counter -> values.putIfAbsent(counter, 0L));
        return values;
    }

    @Override
    public OptionalLong value(String counter) {
        Long value = values(Set.of(counter)).get(counter);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    @Override
    public Map<String, Long> values(Collection<String> counters) {
        try {
            return guards.get().counters(settings.scope()).values(counters);
        } catch (DriverException e) {
            throw LaneCall.failure(e);
        }
    }

    static final class Builder implements CassandraCounters.Builder {

        private final Declarations declarations;
        private final Supplier<LaneGuards> guards;
        private final Supplier<OperationExecutor> executor;
        private final Duration timeout;

        private String scope = "counters";

        Builder(
                Declarations declarations,
                ObjectProvider<LaneGuards> guards,
                ObjectProvider<OperationExecutor> executor,
                FbfProperties properties) {
            this.declarations = declarations;
            this.guards = SingletonSupplier.of(guards::getObject);
            this.executor = SingletonSupplier.of(executor::getObject);
            timeout = properties.counters().timeout();
        }

        @Override
        public Builder scope(String name) {
            scope = OperationSettings.requireScope(name);
            return this;
        }

        @Override
        public CassandraCounters build() {
            OperationSettings settings = new OperationSettings(
                    "CassandraCounters of the scope " + scope, scope, "", null, null, false, false);
            guards.get().addScope(scope);
            declarations.addProgram(settings);
            return new GuardedLaneCounters(settings, guards, executor, timeout);
        }
    }
}
