package dev.fbf.loadtest.bench.guard;

/** What grows while the cost of an increment is measured. */
enum Dimension {
    CLIENTS("clients, on one row", true),
    ROWS("rows, all alike", true),
    FILTERS("MiB of the filter's file", true),
    WINDOWS("window, with the same size of the filter", true),
    NODES("nodes in ledger mode, each with as many clients", false),
    DATABASES("database, on one row", false);

    private final String description;
    private final boolean logarithmic;

    Dimension(String description, boolean logarithmic) {
        this.description = description;
        this.logarithmic = logarithmic;
    }

    /** What the axis shows. */
    String description() {
        return description;
    }

    /** Whether each point is a multiple of the one before. */
    boolean isLogarithmic() {
        return logarithmic;
    }
}
