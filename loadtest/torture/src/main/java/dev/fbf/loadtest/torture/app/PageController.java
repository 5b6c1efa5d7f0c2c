package dev.fbf.loadtest.torture.app;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.SqlCounters;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * Counts page views and others, and writes down each application of an operation in the same transaction. That table has no key:
 * it must not stop a second application, it must show it.
 */
@RestController
class PageController {

    private final JdbcClient jdbc;
    private final SqlCounters counters;

    PageController(JdbcClient jdbc, @Qualifier("tortureCounters") SqlCounters counters) {
        this.jdbc = jdbc;
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

    /** Adds to a counter in a group. What was applied is written down by a trigger: there is no other SQL here. */
    @PostMapping("/counters/{counter}/increments")
    long increment(@PathVariable String counter, IdempotencyKey key) {
        return counters.increment(key, counter, 1);
    }

    @PostMapping("/pages/{page}/views")
    @IdempotentIncrement(scope = TortureApplication.SCOPE, onDuplicate = "views")
    Views view(@PathVariable String page, @RequestHeader("Idempotency-Key") String key) {
        jdbc.sql("UPDATE torture_page SET views = views + 1 WHERE name = ?")
                .param(page)
                .update();
        jdbc.sql("INSERT INTO torture_applied (operation, counter) VALUES (?, ?)")
                .param(key.replace("\"", ""))
                .param(page)
                .update();
        return views(page, key);
    }

    Views views(String page, String key) {
        return new Views(
                page,
                jdbc.sql("SELECT views FROM torture_page WHERE name = ?")
                        .param(page)
                        .query(Long.class)
                        .single());
    }

    /** Counts what is asked of each start of an application, on a row that nobody else adds to. */
    @PostMapping("/probes")
    @IdempotentIncrement(scope = TortureApplication.SCOPE)
    void probe() {
        jdbc.sql("UPDATE torture_probe SET applied = applied + 1").update();
    }

    record Views(String page, long views) {}
}
