package dev.fbf.loadtest;

/** The three ways to one more view of a page. */
enum Endpoint {
    /** The application's SQL, with the guard. */
    GUARDED("guarded", "/pages/%s/views", "page", "views"),
    /** The same SQL without it. */
    UNGUARDED("unguarded", "/unguarded/pages/%s/views", "unguarded_page", "views"),
    /** {@code SqlCounters}, which commit the increments of several callers together. */
    GROUPED("grouped", "/grouped/pages/%s/views", "fbf_counter", "value");

    private final String title;
    private final String path;
    private final String table;
    private final String column;

    Endpoint(String title, String path, String table, String column) {
        this.title = title;
        this.path = path;
        this.table = table;
        this.column = column;
    }

    String path(String page) {
        return path.formatted(page);
    }

    /** The table that holds this endpoint's counters, by their {@code name}. */
    String table() {
        return table;
    }

    /** The column that holds their values. */
    String column() {
        return column;
    }

    /** Whether a retry changes nothing. */
    boolean isExact() {
        return this != UNGUARDED;
    }

    @Override
    public String toString() {
        return title;
    }
}
