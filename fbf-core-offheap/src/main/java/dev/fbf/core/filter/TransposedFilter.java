package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.Words;
import java.time.InstantSource;

/** All generations of the filter side by side: one look at each cache line answers for all of them. */
final class TransposedFilter implements ForgetfulBloomFilter {

    /*
     * The filter is a sequence of generations. In epoch e, N + 2 of them are live; one more, all zero, is the spare. The
     * bits of all of them for one position lie in a lane of a word (see FilterLayout), so that the AND of an operation's
     * lanes tells at once in which generations it is found (see Rule). One word holds the whole state:
     *
     *   state = epoch << 7 | newest << 1 | clean       (newest: the newest generation's bit, e mod (N + 3);
     *                                                   clean: the spare is all zero)
     *
     * Refresh (one at a time):  wait until the spare is clean;
     *                           state: (e, clean) -> (e + 1, dirty), which publishes the spare as the newest one and
     *                           makes the bit of the dropped generation the spare's;
     *                           note the time, which is now surely after every put into the epoch e;
     *                           clear that bit in all lanes;  state: (e + 1, dirty) -> (e + 1, clean)
     * Put:    read e;  set the bits of e;   read the epoch again, repeat if it moved
     * Check:  read e;  read the lanes;      read the epoch again, repeat if it moved
     *
     * Publishing before clearing: had the bits been cleared first, a put that still takes them for live would set them
     * and lose them. Put's second read must come after its bits in the total order of volatile accesses, else a
     * refresh could pass between them unseen; compare-and-set and volatile reads give that. When the second read still
     * says e, no bit of e was being cleared when the bits were read or set, because clearing begins after the new
     * epoch is published.
     *
     * A put that is delayed by more than a window in the middle may set bits of a generation that has since been
     * cleared. It repeats in the right one; the stray bits can only make an absent element present, until that
     * generation is cleared again.
     *
     * Times are rounded so that memory is never shortened: the time of a refresh up, the time it is compared with down.
     *
     * Algorithm 2 of the paper, as printed, never reaches the check of the oldest generation when N > 1: it hangs on
     * the else-branch of the loop over the pairs. The text and equation 3 have it; so has Rule.PAPER.
     */
    private static final long CLEAN = 1;
    private static final int NEWEST_SHIFT = 1;
    private static final int NEWEST_MASK = 63;
    private static final int EPOCH_SHIFT = 7;

    /** Stands for the time of a refresh until it has happened: far ahead, so that nothing counts as old. */
    private static final long NOT_YET = Long.MAX_VALUE / 2;

    private final FilterPlan plan;
    private final Words words;
    private final Lanes lanes;
    private final InstantSource clock;
    private final long clockOffset;

    private final Rule rule;
    private final int generations;

    private volatile boolean closed;

    /** Takes over words whose header was written by {@link FilterFile} and checked. */
    TransposedFilter(FilterPlan plan, Words words, InstantSource clock) {
        this.plan = plan;
        this.words = words;
        this.clock = clock;
        lanes = new Lanes(plan, words);
        rule = plan.rule();
        generations = plan.liveGenerations() + 1;
        // The filter's time never runs backwards, not even when the machine's clock was set back while it was closed.
        long lastRefresh = refreshedAt() == NOT_YET ? 0 : refreshedAt();
        long lastKnown = Math.max(lastRefresh, words.getVolatile(FilterLayout.CLOSED_AT_WORD));
        clockOffset = Math.max(0, lastKnown - clock.millis());
        if (refreshedAt() == NOT_YET) {
            words.setRelease(FilterLayout.REFRESHED_AT_WORD, nowRoundedUp());
        }
    }

    /** Begins epoch 0 in words that are all zero. */
    static void initialize(Words words, long nowMillis) {
        words.setRelease(FilterLayout.REFRESHED_AT_WORD, nowMillis);
        words.setRelease(FilterLayout.STATE_WORD, CLEAN);
    }

    @Override
    public void put(OperationId id) {
        long seed = lanes.seed(id);
        long state = state();
        for (; ; ) {
            requireOpen();
            lanes.set(seed, rule.insertMask(newest(state), generations));
            long now = state();
            if (epoch(now) == epoch(state)) {
                return;
            }
            state = now;
        }
    }

    @Override
    public boolean mightContain(OperationId id) {
        long seed = lanes.seed(id);
        long state = state();
        for (; ; ) {
            requireOpen();
            long found = lanes.find(seed);
            long now = state();
            if (epoch(now) == epoch(state)) {
                return rule.isPresent(found, newest(state), generations);
            }
            state = now;
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
        words.setRelease(FilterLayout.REFRESHED_AT_WORD, nowRoundedUp());
        clearSpare();
        return true;
    }

    /** Makes up the refreshes that were due while no process had the filter open, after a clean shutdown. */
    synchronized void makeUpMissedRefreshes() {
        clearSpare();
        long period = plan.period().toMillis();
        // operations may have come until the shutdown, so the epoch then running lasted at least until then
        long first = Math.max(refreshedAt() + period, words.getVolatile(FilterLayout.CLOSED_AT_WORD));
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
        words.setRelease(FilterLayout.CLOSED_AT_WORD, nowRoundedUp());
        words.force();
    }

    private void turn(long refreshedAt) {
        long state = state();
        long newest = Rule.next(newest(state), generations);
        words.setRelease(FilterLayout.REFRESHED_AT_WORD, refreshedAt);
        words.compareAndSet(FilterLayout.STATE_WORD, state, (epoch(state) + 1) << EPOCH_SHIFT | newest << NEWEST_SHIFT);
    }

    private void clearSpare() {
        long state = state();
        if ((state & CLEAN) != 0) {
            return;
        }
        lanes.clear(1L << Rule.next(newest(state), generations));
        words.compareAndSet(FilterLayout.STATE_WORD, state, state | CLEAN);
    }

    private long state() {
        return words.getVolatile(FilterLayout.STATE_WORD);
    }

    private static long epoch(long state) {
        return state >>> EPOCH_SHIFT;
    }

    private static int newest(long state) {
        return (int) (state >>> NEWEST_SHIFT) & NEWEST_MASK;
    }

    private long refreshedAt() {
        return words.getVolatile(FilterLayout.REFRESHED_AT_WORD);
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
