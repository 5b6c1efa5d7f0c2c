package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.Words;
import java.time.InstantSource;

/** The paper's filter as it is told: one bit plane for each generation, asked one after another. */
final class PlaneFilter implements ForgetfulBloomFilter {

    /*
     * The filter is a sequence of generations, numbered from 0. In epoch e, generation e is the future one, e - 1 the
     * present one, e - 2 … e - 1 - N the past ones. One more plane, all zero, is the spare: it becomes generation
     * e + 1. One word holds the whole state:
     *
     *   state = epoch << 1 | clean        (clean: the spare is all zero)
     *
     * Refresh (one at a time):  wait until the spare is clean;
     *                           state: (e, clean) -> (e + 1, dirty), which publishes the spare as the future one and
     *                           makes the plane of the dropped generation the spare;
     *                           note the time, which is now surely after every put into the epoch e;
     *                           clear that plane;  state: (e + 1, dirty) -> (e + 1, clean)
     * Put:    read e;  set the bits in generations e and e - 1;  read the epoch again, repeat if it moved
     * Check:  read e;  read bits;                                read the epoch again, repeat if it moved
     *
     * Publishing before clearing: had the plane been cleared first, a put that still takes it for live would set its
     * bits there and lose them. Put's second read must come after its bits in the total order of volatile accesses,
     * else a refresh could pass between them unseen; compare-and-set and volatile reads give that. When the second
     * read still says e, no plane of e was being cleared when the bits were read or set, because clearing begins after
     * the new epoch is published.
     *
     * A put that is delayed by more than a window in the middle may set bits in a plane that has since been cleared. It
     * repeats in the right ones; the stray bits can only make an absent element present, until that plane is cleared.
     *
     * Times are rounded so that memory is never shortened: the time of a refresh up, the time it is compared with down.
     *
     * Algorithm 2 of the paper, as printed, never reaches the check of the oldest generation when N > 1: it hangs on
     * the else-branch of the loop over the pairs. The text and equation 3 have it; so has this filter.
     */
    private static final long CLEAN = 1;

    /** Stands for the time of a refresh until it has happened: far ahead, so that nothing counts as old. */
    private static final long NOT_YET = Long.MAX_VALUE / 2;

    private final FilterPlan plan;
    private final PlaneLayout layout;
    private final Words words;
    private final PositionHash hash;
    private final InstantSource clock;
    private final long clockOffset;
    private final long positions;
    private final int probes;
    private final int past;

    private volatile boolean closed;

    /** Takes over words whose header was written by {@link PlaneFile} and checked. */
    PlaneFilter(FilterPlan plan, Words words, InstantSource clock) {
        this.plan = plan;
        this.words = words;
        this.clock = clock;
        layout = new PlaneLayout(plan);
        hash = new PositionHash(
                words.getVolatile(PlaneLayout.SECRET_WORD), words.getVolatile(PlaneLayout.SECRET_WORD + 1));
        positions = plan.positions();
        probes = plan.probes();
        past = plan.past();
        // The filter's time never runs backwards, not even when the machine's clock was set back while it was closed.
        long lastRefresh = refreshedAt() == NOT_YET ? 0 : refreshedAt();
        long lastKnown = Math.max(lastRefresh, words.getVolatile(PlaneLayout.CLOSED_AT_WORD));
        clockOffset = Math.max(0, lastKnown - clock.millis());
        if (refreshedAt() == NOT_YET) {
            words.setRelease(PlaneLayout.REFRESHED_AT_WORD, nowRoundedUp());
        }
    }

    /** Begins epoch 0 in words that are all zero. */
    static void initialize(Words words, long nowMillis) {
        words.setRelease(PlaneLayout.REFRESHED_AT_WORD, nowMillis);
        words.setRelease(PlaneLayout.STATE_WORD, CLEAN);
    }

    @Override
    public void put(OperationId id) {
        long seed = hash.seed(id);
        long epoch = epoch();
        for (; ; ) {
            requireOpen();
            setAll(epoch, seed);
            setAll(epoch - 1, seed);
            long now = epoch();
            if (now == epoch) {
                return;
            }
            epoch = now;
        }
    }

    @Override
    public boolean mightContain(OperationId id) {
        long seed = hash.seed(id);
        long epoch = epoch();
        for (; ; ) {
            requireOpen();
            boolean found = find(epoch, seed);
            long now = epoch();
            if (now == epoch) {
                return found;
            }
            epoch = now;
        }
    }

    @Override
    public FilterPlan plan() {
        return plan;
    }

    /**
     * Turns the generations if a period has gone by since the last refresh.
     *
     * @return whether they were turned
     */
    synchronized boolean refreshIfDue() {
        requireOpen();
        clearSpare();
        if (millisUntilDue() > 0) {
            return false;
        }
        turn(NOT_YET);
        words.setRelease(PlaneLayout.REFRESHED_AT_WORD, nowRoundedUp());
        clearSpare();
        return true;
    }

    /** Makes up the refreshes that were due while no process had the filter open, after a clean shutdown. */
    synchronized void makeUpMissedRefreshes() {
        clearSpare();
        long period = plan.period().toMillis();
        // operations may have come until the shutdown, so the epoch then running lasted at least until then
        long first = Math.max(refreshedAt() + period, words.getVolatile(PlaneLayout.CLOSED_AT_WORD));
        long due = Math.floorDiv(now() - first, period) + 1;
        long turns = Math.min(Math.max(due, 0), plan.liveGenerations() + 1L);
        for (long turn = due - turns; turn < due; turn++) {
            turn(first + turn * period);
            clearSpare();
        }
    }

    /** How long until {@link #refreshIfDue()} has something to do, in milliseconds. */
    long millisUntilDue() {
        return refreshedAt() + plan.period().toMillis() - now();
    }

    /** Stops the filter for good and marks the shutdown as clean. */
    synchronized void close() {
        closed = true;
        words.setRelease(PlaneLayout.CLOSED_AT_WORD, nowRoundedUp());
        words.force();
    }

    private boolean find(long epoch, long seed) {
        if (isSet(epoch, seed)) {
            return true;
        }
        long oldest = epoch - 1 - past;
        boolean newer = false;
        for (long generation = epoch - 1; generation >= oldest; generation--) {
            boolean here = isSet(generation, seed);
            if (here && (newer || generation == oldest)) {
                return true;
            }
            newer = here;
        }
        return false;
    }

    private boolean isSet(long generation, long seed) {
        long plane = layout.planeOf(generation);
        for (int probe = 0; probe < probes; probe++) {
            long position = PositionHash.position(seed, probe, positions);
            if ((words.getVolatile(plane + (position >>> 6)) & (1L << position)) == 0) {
                return false;
            }
        }
        return true;
    }

    private void setAll(long generation, long seed) {
        long plane = layout.planeOf(generation);
        for (int probe = 0; probe < probes; probe++) {
            long position = PositionHash.position(seed, probe, positions);
            long index = plane + (position >>> 6);
            long bit = 1L << position;
            long word = words.getVolatile(index);
            while ((word & bit) == 0 && !words.compareAndSet(index, word, word | bit)) {
                word = words.getVolatile(index);
            }
        }
    }

    private void turn(long refreshedAt) {
        long epoch = epoch();
        words.setRelease(PlaneLayout.REFRESHED_AT_WORD, refreshedAt);
        words.compareAndSet(PlaneLayout.STATE_WORD, epoch << 1 | CLEAN, (epoch + 1) << 1);
    }

    private void clearSpare() {
        long state = words.getVolatile(PlaneLayout.STATE_WORD);
        if ((state & CLEAN) != 0) {
            return;
        }
        long spare = layout.planeOf((state >> 1) + 1);
        for (long i = 0; i < layout.planeWords(); i++) {
            words.setRelease(spare + i, 0);
        }
        words.compareAndSet(PlaneLayout.STATE_WORD, state, state | CLEAN);
    }

    private long epoch() {
        return words.getVolatile(PlaneLayout.STATE_WORD) >> 1;
    }

    private long refreshedAt() {
        return words.getVolatile(PlaneLayout.REFRESHED_AT_WORD);
    }

    private long now() {
        return clock.millis() + clockOffset;
    }

    private long nowRoundedUp() {
        return clock.instant().plusNanos(999_999).toEpochMilli() + clockOffset;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the filter's directory was closed");
        }
    }
}
