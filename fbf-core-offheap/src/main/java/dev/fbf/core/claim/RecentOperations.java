package dev.fbf.core.claim;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.Lanes;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Cache of the operations that this process has lately applied, or seen as applied: a forgetful Bloom filter of 8 MiB off the heap, whose
 * generations rotate when they are full.
 *
 * <p>An operation is found until at least {@value #REMEMBERED} later puts, whatever time they take; then it is forgotten. At most about 1 in
 * 9,000 new operations is a false positive. Both are harmless where a database decides: a false positive costs a SELECT, and a retry of a
 * forgotten operation an INSERT that finds the row.
 *
 * <p>Thread-safe and lock-free. A put clears at most one cache line of the oldest generation, so that a rotation delays no request.
 */
public final class RecentOperations {

    /*
     * Generation g has the puts with the numbers from g·CAPACITY to (g + 1)·CAPACITY - 1, and bit g mod 8 of each lane. So the number of
     * puts is all the state:
     *
     *   bit of    g           the puts of now
     *             g-1 … g-6   full: the last 6·CAPACITY puts before g
     *             g-7         cleared by the first LINES puts of g, one line each; then ready for g + 1
     *
     * A check needs no state: bits of a generation that is being cleared can only find operations that are a little older.
     *
     * A thread that stops between its number and its line, for the CAPACITY - LINES puts that remain before g + 1, clears bits of g + 1.
     * Then some of the ten or so operations of that line are forgotten. A lock would cost more than their INSERTs.
     */

    /** The number of later puts until which an operation is found. */
    static final int REMEMBERED = 2_000_000;

    private static final int LANE_BITS = 8;

    /** N of the paper: all generations but the one being cleared are live. */
    private static final int PAST = LANE_BITS - 3;

    /** The puts of a generation. */
    static final int CAPACITY = REMEMBERED / (PAST + 1) + 1;

    /** With the header, 8 MiB. */
    static final int LINES =
            (8 << 20) / (FilterPlan.LINE_WORDS * Long.BYTES) - FilterPlan.HEADER_WORDS / FilterPlan.LINE_WORDS;

    private final Lanes lanes = Lanes.allocate(plan());
    private final AtomicLong puts = new AtomicLong();

    /** Returns the layout. Its unit of time is a put, which counts as a millisecond. */
    static FilterPlan plan() {
        Duration period = Duration.ofMillis(CAPACITY);
        FilterSizing sizing = new FilterSizing(1_000, period.multipliedBy(PAST + 1L), 1e-4);
        Spread spread = new Spread(4, 3, FilterPlan.LINE_WORDS * Long.SIZE / LANE_BITS);
        return new FilterPlan(sizing, sizing, false, Rule.SINGLE, LANE_BITS, PAST, LINES, spread, period);
    }

    /** Remembers an operation. */
    public void put(OperationId id) {
        long number = puts.getAndIncrement();
        long generation = number / CAPACITY;
        long line = number % CAPACITY;
        if (line < LINES) {
            lanes.clear(line, bit(generation + 1));
        }
        lanes.set(id, bit(generation));
    }

    /** {@return true if the operation was put, unless that is long ago; rarely true if it was not} */
    public boolean mightContain(OperationId id) {
        return lanes.find(id) != 0;
    }

    private static long bit(long generation) {
        return 1L << (generation % LANE_BITS);
    }
}
