package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import java.util.BitSet;

/**
 * Holds the decisions of a contender against the truth, from the second window on: in the first it is not full.
 *
 * <p>What counts is how often each click is taken for new: once is right. A false positive that has been forgotten when a
 * duplicate of the click comes makes that duplicate stand for the click.
 */
final class Tally {

    private final ClickStream stream;
    private final BitSet taken = new BitSet();
    private final BitSet lost = new BitSet();
    private long clicks;
    private long duplicates;
    private long missed;

    Tally(ClickStream stream) {
        this.stream = stream;
    }

    /** Adds the decision of an arrival. They come in the order of the arrivals. */
    void add(int arrival, boolean decidedDuplicate) {
        boolean counts = arrival >= stream.begin(Demand.SLICES);
        boolean isDuplicate = stream.isDuplicate(arrival);
        int click = stream.click(arrival);
        if (counts) {
            clicks += isDuplicate ? 0 : 1;
            duplicates += isDuplicate ? 1 : 0;
        }
        if (decidedDuplicate && !isDuplicate && counts) {
            lost.set(click);
        }
        if (!decidedDuplicate) {
            missed += counts && taken.get(click) ? 1 : 0;
            taken.set(click);
            lost.clear(click);
        }
    }

    Errors errors() {
        return new Errors(clicks, lost.cardinality(), duplicates, missed);
    }

    /** The errors of a contender over a whole stream. */
    static Errors of(Contender contender, ClickStream stream) {
        Tally tally = new Tally(stream);
        for (int slice = 0; slice < stream.slices(); slice++) {
            OperationId[] clicks = stream.ids(slice, slice + 1);
            boolean[] decided = new boolean[clicks.length];
            contender.advance(slice);
            contender.decide(clicks, 0, clicks.length, decided);
            for (int i = 0; i < clicks.length; i++) {
                tally.add(stream.begin(slice) + i, decided[i]);
            }
        }
        return tally.errors();
    }
}
