package dev.fbf.loadtest.paper.clicks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Counts the errors of peers in simulated time, one after the other. */
final class Sweeps {

    private static final double FEWEST_BITS = 2;
    private static final double MOST_BITS = 1 << 10;
    private static final double PRECISION = 1.01;

    /** Errors at a point of a sweep. */
    record Point(String peer, double bitsAClick, Errors errors) {}

    private Sweeps() {}

    /** The errors of all peers with so much memory; a peer that cannot work with so little is left out. */
    static List<Point> all(ClickStream stream, double bitsAClick) {
        List<Point> points = new ArrayList<>();
        for (Peer peer : Peer.values()) {
            errors(peer, stream, bitsAClick)
                    .ifPresent(errors -> points.add(new Point(peer.shortTitle(), bitsAClick, errors)));
        }
        return points;
    }

    /** The least memory, in bits a click, with which a peer makes no more than a share of errors; empty if a kilobit is too little. */
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
        return errors(peer, stream, bitsAClick)
                .filter(errors -> errors.share() <= share)
                .isPresent();
    }

    private static Optional<Errors> errors(Peer peer, ClickStream stream, double bitsAClick) {
        Demand demand = stream.demand();
        return peer.with(demand, demand.bytes(bitsAClick)).map(contender -> Tally.of(contender, stream));
    }
}
