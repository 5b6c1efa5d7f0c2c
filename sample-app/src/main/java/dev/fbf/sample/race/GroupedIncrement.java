package dev.fbf.sample.race;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.SqlCounters;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** {@link SqlCounters}, which commits increments of several clients together. */
@Component
@Order(3)
final class GroupedIncrement implements Contender {

    private final SqlCounters counters;

    GroupedIncrement(SqlCounters.Builder counters) {
        this.counters = counters.scope("race-counters")
                .table("race", "contender", "counted")
                .build();
    }

    @Override
    public String name() {
        return "grouped";
    }

    @Override
    public void count(String key) {
        counters.increment(IdempotencyKey.of(key), name(), 1);
    }
}
