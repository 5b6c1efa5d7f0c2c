package dev.fbf.loadtest.torture.app;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.SqlCounters;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Adds to counters that are committed in groups. What was applied is written down by a trigger: there is no other SQL here. */
@RestController
@ConditionalOnProperty("torture.counters")
class CounterController {

    private final SqlCounters counters;

    CounterController(@Qualifier("tortureCounters") SqlCounters counters) {
        this.counters = counters;
    }

    /** Opens the database before the scope of the others is open, as beans of one application do. */
    @Bean
    static SqlCounters countersOfAnotherScope(SqlCounters.Builder counters) {
        return counters.scope("another").build();
    }

    @Bean
    static SqlCounters tortureCounters(SqlCounters.Builder counters) {
        return counters.scope(TortureApplication.SCOPE).build();
    }

    @PostMapping("/counters/{counter}/increments")
    long increment(@PathVariable String counter, IdempotencyKey key) {
        return counters.increment(key, counter, 1);
    }
}
