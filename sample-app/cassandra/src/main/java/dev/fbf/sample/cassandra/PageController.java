package dev.fbf.sample.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.cassandra.CassandraCounters;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Counts page views with fbf's counters and with Cassandra's own, which count a retry again. */
@RestController
class PageController {

    private final CassandraCounters views;
    private final CqlSession session;

    PageController(CassandraCounters.Builder counters, CqlSession session) {
        views = counters.scope("page-views").build();
        this.session = session;
    }

    @PostMapping({"/pages/{page}/views", "/grouped/pages/{page}/views"})
    @IdempotentIncrement(scope = "page-views", onDuplicate = "currentViews")
    Views view(@PathVariable String page) {
        return new Views(page, views.increment(page));
    }

    @GetMapping("/grouped/pages/{page}")
    Views currentViews(@PathVariable String page) {
        return new Views(page, views.value(page).orElse(0));
    }

    @PostMapping("/unguarded/pages/{page}/views")
    Views viewUnguarded(@PathVariable String page) {
        session.execute(
                SimpleStatement.newInstance("UPDATE unguarded_page SET views = views + 1 WHERE name = ?", page));
        return new Views(page, unguardedViews(page));
    }

    @GetMapping("/pages/{page}")
    BothViews bothViews(@PathVariable String page) {
        return new BothViews(page, views.value(page).orElse(0), unguardedViews(page));
    }

    private long unguardedViews(String page) {
        Row row = session.execute(SimpleStatement.newInstance("SELECT views FROM unguarded_page WHERE name = ?", page))
                .one();
        return row == null ? 0 : row.getLong("views");
    }

    @ExceptionHandler(IllegalArgumentException.class)
    ProblemDetail badName(IllegalArgumentException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, e.getMessage());
    }

    record Views(String page, long views) {}

    record BothViews(String page, long views, long unguardedViews) {}
}
