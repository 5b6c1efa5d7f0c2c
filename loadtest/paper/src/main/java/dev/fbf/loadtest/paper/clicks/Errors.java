package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/**
 * The decisions of a contender beside the truth.
 *
 * @param clicks the new clicks that it was asked about
 * @param lost those of them that it took for duplicates
 * @param duplicates the duplicates that it was asked about
 * @param missed those of them that it took for new
 */
record Errors(long clicks, long lost, long duplicates, long missed) {

    static final Errors NONE = new Errors(0, 0, 0, 0);

    Errors plus(boolean isDuplicate, boolean decidedDuplicate) {
        return isDuplicate
                ? new Errors(clicks, lost, duplicates + 1, missed + (decidedDuplicate ? 0 : 1))
                : new Errors(clicks + 1, lost + (decidedDuplicate ? 1 : 0), duplicates, missed);
    }

    /** Both kinds together, among all arrivals. */
    double share() {
        return (double) (lost + missed) / Math.max(1, clicks + duplicates);
    }

    double lostShare() {
        return (double) lost / Math.max(1, clicks);
    }

    double missedShare() {
        return (double) missed / Math.max(1, duplicates);
    }

    /** The errors of a contender over a stream, once its first window is full. */
    static Errors of(Contender contender, ClickStream stream) {
        Errors errors = NONE;
        for (int slice = 0; slice < stream.slices(); slice++) {
            contender.advance(slice);
            int begin = stream.begin(slice);
            int count = stream.begin(slice + 1) - begin;
            OperationId[] clicks = new OperationId[count];
            for (int i = 0; i < count; i++) {
                clicks[i] = stream.id(begin + i);
            }
            boolean[] decided = new boolean[count];
            contender.decide(clicks, 0, count, decided);
            for (int i = 0; i < count && slice >= Demand.SLICES; i++) {
                errors = errors.plus(stream.isDuplicate(begin + i), decided[i]);
            }
        }
        return errors;
    }
}
