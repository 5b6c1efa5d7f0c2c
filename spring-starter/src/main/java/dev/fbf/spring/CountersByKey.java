package dev.fbf.spring;

import java.util.Map;

/** The methods behind the interceptors, and those that answer for operations that were applied before. */
final class CountersByKey implements KeyedCounters {

    private final SqlCounters counters;

    CountersByKey(SqlCounters counters) {
        this.counters = counters;
    }

    @Override
    public long add(String key, String counter, long delta) {
        return counters.increment(counter, delta);
    }

    long current(String key, String counter, long delta) {
        return counters.value(counter).orElse(0);
    }

    @Override
    public Map<String, Long> addAll(String key, Map<String, Long> deltas) {
        return counters.increment(deltas);
    }

    Map<String, Long> currentOfAll(String key, Map<String, Long> deltas) {
        return counters.values(deltas.keySet());
    }
}
