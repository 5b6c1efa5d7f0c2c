package dev.fbf.spring.test;

import dev.fbf.spring.transaction.PlainCounters;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counters of a context without a database. A rollback undoes a transaction's increments. Thread-safe. */
final class InMemoryValues implements PlainCounters.Values {

    private final Map<String, Long> values = new HashMap<>();

    @Override
    public synchronized Map<String, Long> add(Map<String, Long> deltas) {
        Map<String, Long> added = new HashMap<>();
        deltas.forEach((counter, delta) -> {
            try {
                added.put(counter, Math.addExact(values.getOrDefault(counter, 0L), delta));
            } catch (ArithmeticException e) {
                throw new DataIntegrityViolationException("a counter's value would leave its range", e);
            }
        });
        Map<String, Long> copy = Map.copyOf(deltas);
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    if (status != STATUS_COMMITTED) {
                        takeBack(copy);
                    }
                }
            });
        }
        values.putAll(added);
        return added;
    }

    private synchronized void takeBack(Map<String, Long> deltas) {
        deltas.forEach((counter, delta) ->
                values.computeIfPresent(counter, (same, value) -> value - delta == 0 ? null : value - delta));
    }

    @Override
    public synchronized Map<String, Long> values(Collection<String> counters) {
        Map<String, Long> found = new HashMap<>(values);
        found.keySet().retainAll(counters);
        return found;
    }
}
