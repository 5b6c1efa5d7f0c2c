package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import dev.fbf.loadtest.harness.Rounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * All contenders at one stream, turn by turn: in a turn each takes the same clicks, and another one begins than in the turn
 * before. What counts begins with the second window, when the first is full.
 */
final class Race {

    static final int SLICES_OF_TURN = 20;

    private final ClickStream stream;
    private final List<Entrant> entrants;

    /** The machine's time for a turn; null if the turns need not keep to a pace. */
    private final Duration turn;

    private long mostNanosLate;

    /** A contender and what comes out for it. */
    static final class Entrant {

        private final String name;
        private final boolean oneMemory;
        private final Contender contender;
        private final List<Double> nanosOfClick = new ArrayList<>();
        private final Tally tally;
        private long bytes;

        /** @param oneMemory whether it has the memory budget, or else the memory that it needs for the error budget */
        Entrant(String name, boolean oneMemory, Contender contender, ClickStream stream) {
            tally = new Tally(stream);
            this.name = name;
            this.oneMemory = oneMemory;
            this.contender = contender;
        }

        private void take(ClickStream stream, int firstSlice, OperationId[] clicks) {
            int first = stream.begin(firstSlice);
            boolean[] decided = new boolean[clicks.length];
            long begin = System.nanoTime();
            for (int slice = firstSlice; slice < firstSlice + SLICES_OF_TURN; slice++) {
                contender.advance(slice);
                contender.decide(clicks, stream.begin(slice) - first, stream.begin(slice + 1) - first, decided);
            }
            long nanos = System.nanoTime() - begin;
            bytes = Math.max(bytes, contender.bytes());
            if (firstSlice >= Demand.SLICES && clicks.length > 0) {
                nanosOfClick.add((double) nanos / clicks.length);
            }
            for (int i = 0; i < clicks.length; i++) {
                tally.add(first + i, decided[i]);
            }
        }

        Finish finish(Demand demand) {
            return new Finish(
                    name, oneMemory, bytes, demand.bitsAClick(bytes), Rounds.median(nanosOfClick), tally.errors());
        }
    }

    /**
     * The result of an entrant.
     *
     * @param bytes the most that it took
     * @param bitsAClick the same, for each click of the fullest window
     * @param nanosAClick the median of the turns, over all arrivals
     */
    record Finish(
            String contender, boolean oneMemory, long bytes, double bitsAClick, double nanosAClick, Errors errors) {}

    /** @param window the machine's time for a window; zero if there is no pace to keep to */
    Race(ClickStream stream, List<Entrant> entrants, Duration window) {
        this.stream = stream;
        this.entrants = List.copyOf(entrants);
        turn = window.multipliedBy(SLICES_OF_TURN).dividedBy(Demand.SLICES);
    }

    List<Finish> run() throws InterruptedException {
        int turns = stream.slices() / SLICES_OF_TURN;
        List<Entrant> order = Rounds.of(turns, entrants);
        long start = System.nanoTime();
        for (int i = 0; i < turns; i++) {
            keepPace(start + i * turn.toNanos());
            int slice = i * SLICES_OF_TURN;
            OperationId[] clicks = stream.ids(slice, slice + SLICES_OF_TURN);
            for (Entrant entrant : order.subList(i * entrants.size(), (i + 1) * entrants.size())) {
                entrant.take(stream, slice, clicks);
            }
        }
        return entrants.stream().map(entrant -> entrant.finish(stream.demand())).toList();
    }

    private void keepPace(long due) throws InterruptedException {
        if (turn.isZero()) {
            return;
        }
        long early = due - System.nanoTime();
        mostNanosLate = Math.max(mostNanosLate, -early);
        TimeUnit.NANOSECONDS.sleep(early);
    }

    /** How far it fell behind its pace at most, in parts of a window: then Redis' window ended so much early. */
    double mostLate() {
        return turn.isZero() ? 0 : (double) mostNanosLate / turn.toNanos() * SLICES_OF_TURN / Demand.SLICES;
    }
}
