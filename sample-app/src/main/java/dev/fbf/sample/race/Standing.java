package dev.fbf.sample.race;

/**
 * How a contender is doing, after its last turn.
 *
 * @param contender its name
 * @param operations operations that its clients have had acknowledged, all turns together
 * @param counted its counter
 * @param perSecond operations acknowledged in a second, without the first turn, in which the code is compiled; 0 before
 *     there is another
 * @param p50Millis median of the time until an operation was acknowledged first, in the same turns
 * @param p99Millis 99th percentile of the same
 */
record Standing(String contender, long operations, long counted, long perSecond, double p50Millis, double p99Millis) {}
