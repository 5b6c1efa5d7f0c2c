package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A peer with so much memory at a stream. Its decisions are held against the truth from the second window on: in the first it is not
 * full.
 *
 * <p>What counts is how often each click is taken for new: once is right. A false positive that has been forgotten when a
 * duplicate of the click comes makes that duplicate stand for the click.
 *
 * @param bitsAClick the memory, for each click of the fullest window
 * @param nanosAClick the time of an arrival, with all that it takes to forget
 * @param clicks the new clicks that it was asked about
 * @param lost those of them that were reported as duplicates, as were all their duplicates
 * @param duplicates the duplicates that it was asked about
 * @param missed those of them that were taken for new, although their click had been before
 */
record Trial(Peer peer, double bitsAClick, double nanosAClick, long clicks, long lost, long duplicates, long missed) {

    private static final double FEWEST_BITS = 2;
    private static final double MOST_BITS = 1 << 10;
    private static final double PRECISION = 1.01;

    /** Runs a peer within a memory limit; empty if it cannot work with so little. */
    static Optional<Trial> of(Peer peer, ClickStream stream, double bitsAClick) {
        Demand demand = stream.demand();
        return peer.with(demand, demand.bytes(bitsAClick)).map(contender -> of(peer, contender, stream));
    }

    static Trial of(Peer peer, Contender contender, ClickStream stream) {
        BitSet taken = new BitSet();
        BitSet lost = new BitSet();
        long clicks = 0;
        long duplicates = 0;
        long missed = 0;
        long nanos = 0;
        for (int slice = 0; slice < stream.slices(); slice++) {
            boolean counts = slice >= Demand.SLICES;
            OperationId[] ids = stream.ids(slice);
            long begin = System.nanoTime();
            contender.advance(slice);
            boolean[] decided = contender.decide(ids);
            nanos += counts ? System.nanoTime() - begin : 0;
            for (int i = 0; i < ids.length; i++) {
                int arrival = stream.begin(slice) + i;
                int click = stream.click(arrival);
                boolean isDuplicate = stream.isDuplicate(arrival);
                clicks += counts && !isDuplicate ? 1 : 0;
                duplicates += counts && isDuplicate ? 1 : 0;
                lost.set(click, lost.get(click) || (decided[i] && !isDuplicate && counts));
                if (!decided[i]) {
                    missed += counts && taken.get(click) ? 1 : 0;
                    taken.set(click);
                    lost.clear(click);
                }
            }
        }
        return new Trial(
                peer,
                stream.demand().bitsAClick(contender.bytes()),
                (double) nanos / Math.max(1, clicks + duplicates),
                clicks,
                lost.cardinality(),
                duplicates,
                missed);
    }

    /** The same, with the memory that it was allowed in place of what it took. */
    Trial within(double bits) {
        return new Trial(peer, bits, nanosAClick, clicks, lost, duplicates, missed);
    }

    /** Returns the least memory, in bits per click, with which a peer's share of errors is within a limit; empty if a kilobit is too little. */
    static OptionalDouble bitsFor(Peer peer, ClickStream stream, double share) {
        double low = FEWEST_BITS;
        double high = 2 * low;
        while (!isWithin(peer, stream, high, share)) {
            low = high;
            high *= 2;
            if (high > MOST_BITS) {
                return OptionalDouble.empty();
            }
        }
        while (high / low > PRECISION) {
            double middle = Math.sqrt(low * high);
            if (isWithin(peer, stream, middle, share)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return OptionalDouble.of(high);
    }

    private static boolean isWithin(Peer peer, ClickStream stream, double bitsAClick, double share) {
        return of(peer, stream, bitsAClick)
                .filter(trial -> trial.errors() <= share)
                .isPresent();
    }

    /** Clicks lost and duplicates missed, among all arrivals. */
    double errors() {
        return (double) (lost + missed) / Math.max(1, clicks + duplicates);
    }
}
