package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;

/** The generations of an arena: which are live, when each was sealed, and how they turn. */
final class Generations {

    /*
     * In epoch e, generation e is the newest; it and those before it, back to the oldest that may still hold what must be
     * remembered, are live. Generation g has bit g mod W in every lane of W bits (see FilterLayout). The bits of all that
     * are not live are zero, or on the way there: the state (see ArenaState) is clean once they are.
     *
     * Turn (one at a time):   wait until clean
     *                         state: (e, live, clean) -> (e + 1, live + 1 - outlived, dirty), which publishes a bit
     *                         that is all zero as the newest generation and drops those that are outlived
     *                         note the time at which generation e was sealed: now, surely after every put into it
     *                         clear the bits that are not live;  state: (e + 1, …, dirty) -> (e + 1, …, clean)
     *
     * A generation is outlived when it was sealed a window ago, never before: a late turn delays. When all bits are
     * taken the turn waits.
     *
     * Publishing before clearing: had the bits been cleared first, a put that still takes them for live would set them
     * and lose them.
     */

    /** Stands for the time at which a generation was sealed until that has happened: nothing is outlived by it. */
    static final long NOT_YET = CheckedWord.MAX_VALUE;

    private final Words words;
    private final ArenaHeader header;
    private final Lanes lanes;
    private final FilterClock clock;
    private final Rule rule;
    private final int laneBits;
    private final long laneMask;
    private final long periodMillis;
    private final long windowMillis;
    private final boolean survivesPowerLoss;
    private final long openedAt;

    /** How late the last turn was, in milliseconds, not counting the time before the arena was opened. */
    private volatile long delay;

    Generations(FilterPlan plan, Words words, Lanes lanes, FilterClock clock, boolean survivesPowerLoss) {
        this.words = words;
        this.lanes = lanes;
        this.clock = clock;
        this.survivesPowerLoss = survivesPowerLoss;
        header = new ArenaHeader(words);
        rule = plan.rule();
        laneBits = plan.laneBits();
        laneMask = -1L >>> (Long.SIZE - laneBits);
        periodMillis = plan.period().toMillis();
        windowMillis = plan.window().toMillis();
        openedAt = clock.millis();
    }

    /** Begins: the live generations are empty and as old as they would be in the long run. */
    static void initialize(FilterPlan plan, ArenaHeader header, FilterClock clock) {
        long period = plan.period().toMillis();
        long epoch = plan.past() + 1L;
        for (long generation = 0; generation < epoch; generation++) {
            long age = (epoch - 1 - generation) * period;
            header.set(FilterLayout.SEALED_AT_WORD + generation, clock.millisRoundedUp() - age);
        }
        header.set(FilterLayout.STATE_WORD, ArenaState.of(epoch, (int) epoch + 1, true));
    }

    /** The state with its checksum, which {@link ArenaState} makes nothing of. */
    long state() {
        return words.getVolatile(FilterLayout.STATE_WORD);
    }

    /** The bits of a lane that a put sets in an epoch. */
    long bitsOfPut(long epoch) {
        return bits(epoch, rule.generationsOfPut());
    }

    /** Whether an operation is present whose lanes have these bits in common. */
    boolean havePresent(long found, long state) {
        return rule.isPresent(byAge(found, state), ArenaState.live(state));
    }

    /** The epoch in which something was put at a time, or the oldest that is still live. */
    long epochAt(long time) {
        long state = state();
        long epoch = ArenaState.epoch(state);
        long oldest = ArenaState.oldest(state) + rule.generationsOfPut() - 1;
        while (epoch > oldest && sealedAt(epoch - 1) > time) {
            epoch--;
        }
        return epoch;
    }

    /** Turns them if a period has gone by since the last turn, drops those that are outlived, and tells whether they turned. */
    boolean turnIfDue() {
        boolean turned = publishNextIfDue();
        if (turned) {
            noteSealed(clock.millisRoundedUp());
        }
        dropOutlived();
        return turned;
    }

    /** Seals what the death of a process left between publishing and noting the time. */
    void sealWhatADeathLeftUnsealed() {
        long state = state();
        for (long generation = ArenaState.oldest(state); generation < ArenaState.epoch(state); generation++) {
            if (sealedAt(generation) == NOT_YET) {
                header.set(sealedAtWord(generation), clock.millisRoundedUp());
            }
        }
    }

    /** Makes up for the time since nothing was put any more: the newest generation may count as sealed then. */
    void makeUpForTimeSince(long lastPut) {
        // all the generations that the last puts went into, then nothing is left that the next turn would seal
        for (int turns = 0; turns < rule.generationsOfPut() && publishNextIfDue(); turns++) {
            noteSealed(lastPut);
        }
        dropOutlived();
    }

    /** How long until {@link #turnIfDue()} has something to do, in milliseconds. */
    long millisUntilDue() {
        long state = state();
        long outlived = sealedAt(ArenaState.oldest(state)) + windowMillis;
        long turn = dueAt(ArenaState.epoch(state));
        return (ArenaState.live(state) == laneBits - 1 ? outlived : Math.min(turn, outlived)) - clock.millis();
    }

    /** How late the last turn was, or by how much the next is overdue, whichever is more, in milliseconds. */
    long delay(long state) {
        return Math.max(delay, clock.millis() - Math.max(openedAt, dueAt(ArenaState.epoch(state))));
    }

    /** When a generation was sealed, or {@link #NOT_YET}. */
    long sealedAt(long generation) {
        return header.get(sealedAtWord(generation));
    }

    /** The number of a generation's bit in each lane. */
    int bit(long generation) {
        return (int) generation & (laneBits - 1);
    }

    private boolean publishNextIfDue() {
        clearDropped();
        long state = state();
        long epoch = ArenaState.epoch(state);
        int live = ArenaState.live(state) + 1 - outlived(state);
        long due = dueAt(epoch);
        long now = clock.millis();
        if (due > now || live == laneBits) {
            return false;
        }
        delay = now - Math.max(openedAt, due);
        header.set(sealedAtWord(epoch), NOT_YET);
        if (survivesPowerLoss) {
            // it must not bring back the word's last generation: this one would be outlived as early as that was
            words.force(0, FilterLayout.HEADER_WORDS);
        }
        replace(state, epoch + 1, live, false);
        return true;
    }

    /** When the newest generation of an epoch has been the newest for a period. */
    private long dueAt(long epoch) {
        return sealedAt(epoch - 1) + periodMillis;
    }

    private void dropOutlived() {
        long state = state();
        int live = Math.max(rule.generationsOfPut(), ArenaState.live(state) - outlived(state));
        if (live < ArenaState.live(state)) {
            replace(state, ArenaState.epoch(state), live, false);
        }
        clearDropped();
    }

    private void noteSealed(long time) {
        header.set(sealedAtWord(ArenaState.epoch(state()) - 1), time);
    }

    /** How many of the sealed generations, counted from the oldest, were sealed a window ago. */
    private int outlived(long state) {
        long now = clock.millis();
        int outlived = 0;
        for (long generation = ArenaState.oldest(state); generation < ArenaState.epoch(state); generation++) {
            if (sealedAt(generation) + windowMillis > now) {
                break;
            }
            outlived++;
        }
        return outlived;
    }

    private void clearDropped() {
        long state = state();
        if (!ArenaState.isClean(state)) {
            lanes.clear(laneMask & ~bits(ArenaState.epoch(state), ArenaState.live(state)));
            if (survivesPowerLoss) {
                // what the disk still has of them would be found in a generation to come
                words.force();
            }
            replace(state, ArenaState.epoch(state), ArenaState.live(state), true);
        }
    }

    private void replace(long state, long epoch, int live, boolean clean) {
        words.compareAndSet(FilterLayout.STATE_WORD, state, CheckedWord.of(ArenaState.of(epoch, live, clean)));
    }

    /** The bits of a lane that stand for the newest generations. */
    private long bits(long epoch, int count) {
        int oldest = bit(epoch - count + 1);
        long bits = (1L << count) - 1;
        return (bits << oldest | bits >>> (laneBits - oldest)) & laneMask;
    }

    /** Turns the live generations' bits of a lane so that bit 0 is the oldest of them, and drops the others. */
    private long byAge(long lane, long state) {
        int oldest = bit(ArenaState.oldest(state));
        return (lane >>> oldest | lane << (laneBits - oldest)) & ((1L << ArenaState.live(state)) - 1);
    }

    private long sealedAtWord(long generation) {
        return FilterLayout.SEALED_AT_WORD + bit(generation);
    }
}
