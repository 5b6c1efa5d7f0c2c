package dev.fbf.spring;

import java.util.Map;

/** The methods behind the interceptors, and those that answer for operations that were applied before. */
final class CountersByKey implements KeyedCounters {

    private final SqlCounters counters;

    CountersByKey(SqlCounters counters) {
        this.counters = counters;
    }

    @Override
    public long add(KeyedDeltas asked) {
        return counters.add(asked.only().getKey(), asked.only().getValue());
    }

    long current(KeyedDeltas asked) {
        return counters.value(asked.only().getKey()).orElse(0);
    }

    @Override
    public Map<String, Long> addAll(KeyedDeltas asked) {
        return counters.increment(asked.deltas());
    }

    Map<String, Long> currentOfAll(KeyedDeltas asked) {
        return counters.values(asked.deltas().keySet());
    }
}
