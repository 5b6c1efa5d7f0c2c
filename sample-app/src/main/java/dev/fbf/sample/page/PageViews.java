package dev.fbf.sample.page;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * How often each page was viewed, counted twice: once in the table behind the guard and once in a table without one.
 * Two tables, so that the two counts of a page never wait for one another's row lock.
 */
@Repository
class PageViews {

    private static final String GUARDED = "page";
    private static final String UNGUARDED = "unguarded_page";

    private final JdbcClient jdbc;

    PageViews(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    long add(PageName page) {
        return add(GUARDED, page);
    }

    long addUnguarded(PageName page) {
        return add(UNGUARDED, page);
    }

    long of(PageName page) {
        return of(GUARDED, page);
    }

    long unguardedOf(PageName page) {
        return of(UNGUARDED, page);
    }

    private long add(String table, PageName page) {
        return jdbc.sql("""
                        INSERT INTO %1$s (name, views) VALUES (?, 1)
                        ON CONFLICT (name) DO UPDATE SET views = %1$s.views + 1
                        RETURNING views""".formatted(table))
                .param(page.value())
                .query(Long.class)
                .single();
    }

    private long of(String table, PageName page) {
        return jdbc.sql("SELECT views FROM %s WHERE name = ?".formatted(table))
                .param(page.value())
                .query(Long.class)
                .optional()
                .orElse(0L);
    }
}
