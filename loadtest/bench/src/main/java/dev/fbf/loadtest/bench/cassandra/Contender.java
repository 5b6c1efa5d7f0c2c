package dev.fbf.loadtest.bench.cassandra;

/** Who counts. */
enum Contender {
    /** Cassandra's own counter column: a time-out leaves it wrong. */
    COLUMN("Cassandra's own counter column", 0),
    /** A conditional update of one row, without retries and without a filter: what a lane is made of. */
    CONDITIONAL("a bare conditional update", 0),
    LANE("one lane, one node of the application", 1),
    LANE_OF_TWO("one lane, two nodes of the application", 2),
    LANE_OF_THREE("one lane, three nodes of the application", 3);

    private final String description;
    private final int nodes;

    Contender(String description, int nodes) {
        this.description = description;
        this.nodes = nodes;
    }

    String description() {
        return description;
    }

    /** How many nodes of the application share its lane; 0 if it has none. */
    int nodes() {
        return nodes;
    }
}
