package dev.fbf.loadtest.bench.guard;

/** What goes on while increments are counted, or own transactions beside them. */
enum Disturbance {
    NONE("increments of 1,000 rows"),
    LOCKED_ROW("the same, while a transaction has locked another row, to which four more threads add"),
    UNKNOWN_NAMES("the same, beside as many of names that are not there that they are one in ten"),
    OWN_TRANSACTIONS("transactions of two threads over two rows, while all add to these rows in the other order");

    private final String description;

    Disturbance(String description) {
        this.description = description;
    }

    /** What is counted. */
    String description() {
        return description;
    }
}
