package dev.fbf.loadtest.torture.system;

/**
 * How operations of one kind came out.
 *
 * @param operations how many there were
 * @param acknowledged how many of them were acknowledged
 * @param lost how many of those were never applied, and not taken for others by the filter
 * @param doubled how many were applied more than once
 */
record Tally(long operations, long acknowledged, long lost, long doubled) {

    static final Tally NONE = new Tally(0, 0, 0, 0);

    Tally plus(Tally other) {
        return new Tally(
                operations + other.operations,
                acknowledged + other.acknowledged,
                lost + other.lost,
                doubled + other.doubled);
    }
}
