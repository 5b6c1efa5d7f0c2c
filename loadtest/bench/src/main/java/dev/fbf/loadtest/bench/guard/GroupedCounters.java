package dev.fbf.loadtest.bench.guard;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.SqlCounters;

/** fbf's own counters, in the mode of their application. */
class GroupedCounters {

    private final SqlCounters counters;

    GroupedCounters(SqlCounters.Builder builder, GuardContender contender) {
        counters = builder.scope("guarded")
                .table(contender.counters(), "id", "value")
                .build();
    }

    void increment(int counter, String key) {
        counters.increment(IdempotencyKey.of(key), Integer.toString(counter), 1);
    }
}
