package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Callers as clients are: they retry, anywhere, until they know. */
final class Callers {

    static final Duration TIMEOUT = Duration.ofSeconds(20);

    private Callers() {}

    static OperationId id(String key) {
        return OperationId.of("test", "", key);
    }

    /** Asks once. */
    static LaneIncrement once(LaneCounters counters, String key, String counter, long delta) {
        return once(counters, key, null, counter, delta);
    }

    static LaneIncrement once(
            LaneCounters counters, String key, @Nullable Long fingerprint, String counter, long delta) {
        Admission admission = counters.admit(id(key), fingerprint);
        if (!(admission instanceof Claim claim)) {
            throw new AssertionError(key + " was refused: " + admission);
        }
        LaneIncrement increment = counters.apply(claim, Map.of(counter, delta), TIMEOUT);
        if (increment == null) {
            throw new AssertionError(key + " is being applied still");
        }
        return increment;
    }

    /** Asks nodes at random until one tells that the operation was applied; returns its value, or null for a replay. */
    static @Nullable Long untilApplied(List<LaneCounters> nodes, String key, String counter, Duration timeout)
            throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (System.nanoTime() < deadline) {
            LaneCounters node = nodes.get(ThreadLocalRandom.current().nextInt(nodes.size()));
            Admission admission = node.admit(id(key), null);
            if (admission == Refusal.APPLIED) {
                return null;
            }
            if (admission instanceof Claim claim) {
                LaneIncrement increment = node.apply(claim, Map.of(counter, 1L), timeout);
                if (increment != null && (increment.values() != null || increment.refusal() == Refusal.APPLIED)) {
                    return value(increment);
                }
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        throw new AssertionError(key + " was not applied within a minute");
    }

    /** The value that an increment of one counter has made; null if it was not applied. */
    static @Nullable Long value(LaneIncrement increment) {
        Map<String, Long> values = increment.values();
        return values == null ? null : values.values().iterator().next();
    }

    /** Runs calls at the same time. */
    static void together(List<Callable<?>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            for (Future<?> call : threads.invokeAll(List.<Callable<Object>>copyOf(
                    calls.stream().map(call -> (Callable<Object>) call::call).toList()))) {
                call.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    static void awaitReady(LaneCounters counters) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (counters.isRecovering()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("still recovering", counters.failure());
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }
}
