package dev.fbf.loadtest;

/** The two ways to one more view of a page: the same SQL, with the guard and without. */
enum Endpoint {
    GUARDED("guarded", "/pages/%s/views", "page"),
    UNGUARDED("unguarded", "/unguarded/pages/%s/views", "unguarded_page");

    private final String title;
    private final String path;
    private final String table;

    Endpoint(String title, String path, String table) {
        this.title = title;
        this.path = path;
        this.table = table;
    }

    String path(Phase phase) {
        return path.formatted(phase.page());
    }

    /** The table that holds this endpoint's counters. */
    String table() {
        return table;
    }

    @Override
    public String toString() {
        return title;
    }
}
