package dev.fbf.loadtest;

import java.util.Locale;

/** The sample app's three ways to one more view of a page. */
enum Endpoint {
    /** The application's SQL, with the guard. */
    GUARDED("/pages/%s/views", "page", "views"),
    /** The same SQL without it. */
    UNGUARDED("/unguarded/pages/%s/views", "unguarded_page", "views"),
    /** {@code SqlCounters}, which commit the increments of several callers together. */
    GROUPED("/grouped/pages/%s/views", "fbf_counter", "value");

    private final String path;

    /** The table of this endpoint's counters, by their {@code name}, and the column of their values. */
    final String table;

    final String column;

    Endpoint(String path, String table, String column) {
        this.path = path;
        this.table = table;
        this.column = column;
    }

    String path(String page) {
        return path.formatted(page);
    }

    /** Whether a retry changes nothing. */
    boolean isExact() {
        return this != UNGUARDED;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
