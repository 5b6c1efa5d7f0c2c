package dev.fbf.core.filter;

import dev.fbf.core.memory.CheckedWord;
import dev.fbf.core.memory.MappedFault;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.Rule;

/** The generations of an arena: their order, their ages and their rotation. */
final class Generations {

    /*
     * In epoch e, generation e is the newest. The live generations are e and its predecessors, back to the oldest one that
     * may still hold an operation within the window. Generation g owns bit g mod W in every lane of W bits (see
     * FilterLayout). The bits of other generations are zero or being cleared. The state (see ArenaState) is clean once all
     * of them are zero.
     *
     * Rotation (one at a time):
     *   1. if the state is dirty, because a crash or an error interrupted step 4: repeat it
     *   2. (e, live, clean) -> (e + 1, live + 1 - outlived, dirty): publishes an all-zero bit as the newest generation and
     *      drops outlived generations
     *   3. record when generation e was sealed: now, which is after every put into it
     *   4. clear the bits that are not live; (e + 1, ..., dirty) -> (e + 1, ..., clean)
     *
     * A generation is outlived once a full window has passed since it was sealed; a late rotation only keeps it longer.
     * If all bits are in use, the rotation waits.
     *
     * Publish before clearing: otherwise a put could set a bit that it considers live while the bit is being cleared, and
     * the operation would be lost.
     */

    /** Sealing time of a generation that is not sealed yet: such a generation is never outlived. */
    static final long NOT_YET = CheckedWord.MAX_VALUE;

    private final Words words;
    private final ArenaHeader header;
    private final Lanes lanes;
    private final FilterClock clock;
    private final Rule rule;
    private final int generationsOfPut;
    private final int laneBits;
    private final long laneMask;
    private final long periodMillis;
    private final long windowMillis;

    Generations(FilterPlan plan, Words words, Lanes lanes, FilterClock clock) {
        this.words = words;
        this.lanes = lanes;
        this.clock = clock;
        header = new ArenaHeader(words);
        rule = plan.rule();
        generationsOfPut = rule.generationsOfPut();
        laneBits = plan.laneBits();
        laneMask = -1L >>> (Long.SIZE - laneBits);
        periodMillis = plan.period().toMillis();
        windowMillis = plan.window().toMillis();
    }

    /** Initializes empty live generations with the ages of a filter in steady operation. */
    static void initialize(FilterPlan plan, ArenaHeader header, FilterClock clock) {
        long period = plan.period().toMillis();
        long epoch = plan.past() + 1L;
        for (long generation = 0; generation < epoch; generation++) {
            long age = (epoch - 1 - generation) * period;
            header.set(FilterLayout.SEALED_AT_WORD + generation, Math.max(0, clock.millisRoundedUp() - age));
        }
        header.set(FilterLayout.STATE_WORD, ArenaState.of(epoch, (int) epoch + 1, true));
    }

    /** Returns the state with its checksum, which {@link ArenaState} ignores. */
    long state() {
        long state = words.getVolatile(FilterLayout.STATE_WORD);
        if (state == 0) { // a zeroed file would pass for an empty filter
            throw ArenaHeader.unsound(words);
        }
        return state;
    }

    /** Returns the bits of a lane that a put sets in an epoch. */
    long bitsOfPut(long epoch) {
        return bits(epoch, generationsOfPut);
    }

    /** Returns whether an operation is present if its lanes have these bits in common. */
    boolean havePresent(long found, long state) {
        int live = ArenaState.live(state);
        int oldest = bit(ArenaState.oldest(state));
        long byAge =
                (found >>> oldest | found << (laneBits - oldest)) & ((1L << live) - 1); // bit 0 is the oldest one's
        return rule.isPresent(byAge, live);
    }

    /** Returns the epoch of a put at a given time, or the oldest live one. */
    long epochAt(long time) {
        long state = state();
        long epoch = ArenaState.epoch(state);
        long oldest = ArenaState.oldest(state) + generationsOfPut - 1;
        while (epoch > oldest && sealedAt(epoch - 1) > time) {
            epoch--;
        }
        return epoch;
    }

    boolean rotateIfDue() {
        boolean rotated = publishNextIfDue();
        if (rotated) {
            noteSealed(clock.millisRoundedUp());
        }
        dropOutlived();
        return rotated;
    }

    /** Seals generations that a crash left unsealed, between publishing and noting the time. */
    void sealAfterCrash() {
        long state = state();
        for (long generation = ArenaState.oldest(state); generation < ArenaState.epoch(state); generation++) {
            if (sealedAt(generation) == NOT_YET) {
                header.set(sealedAtWord(generation), clock.millisRoundedUp());
            }
        }
    }

    /** Rotates for the time since the last put, at which the newest generation counts as sealed. */
    void rotateForTimeSince(long lastPut) {
        // seals all generations of the last puts, so that the next rotation does not have to
        for (int rotations = 0; rotations < generationsOfPut && publishNextIfDue(); rotations++) {
            noteSealed(lastPut);
        }
        dropOutlived();
    }

    long millisUntilDue() {
        long state = state();
        long outlived = sealedAt(ArenaState.oldest(state)) + windowMillis;
        long rotation = dueAt(ArenaState.epoch(state));
        return (ArenaState.live(state) == laneBits - 1 ? outlived : Math.min(rotation, outlived)) - clock.millis();
    }

    long sealedAt(long generation) {
        return header.get(sealedAtWord(generation));
    }

    int bit(long generation) {
        return (int) generation & (laneBits - 1);
    }

    private boolean publishNextIfDue() {
        clearDropped();
        long state = state();
        long epoch = ArenaState.epoch(state);
        int live = ArenaState.live(state) + 1 - outlived(state);
        if (dueAt(epoch) > clock.millis() || live == laneBits) {
            return false;
        }
        header.set(sealedAtWord(epoch), NOT_YET);
        replace(state, epoch + 1, live, false);
        return true;
    }

    /** Returns the time at which the newest generation of an epoch has been the newest for a period. */
    private long dueAt(long epoch) {
        return sealedAt(epoch - 1) + periodMillis;
    }

    private void dropOutlived() {
        long state = state();
        int live = Math.max(generationsOfPut, ArenaState.live(state) - outlived(state));
        if (live < ArenaState.live(state)) {
            replace(state, ArenaState.epoch(state), live, false);
        }
        clearDropped();
    }

    private void noteSealed(long time) {
        header.set(sealedAtWord(ArenaState.epoch(state()) - 1), time);
    }

    /** Returns the number of outlived generations: those that were sealed a window ago, counted from the oldest. */
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
            replace(state, ArenaState.epoch(state), ArenaState.live(state), true);
        }
    }

    private void replace(long state, long epoch, int live, boolean clean) {
        long next = CheckedWord.of(ArenaState.of(epoch, live, clean));
        words.compareAndSet(FilterLayout.STATE_WORD, state, next);
        if (words.getVolatile(FilterLayout.STATE_WORD) != next) {
            throw MappedFault.of(words, "a rotation had no effect");
        }
    }

    private long bits(long epoch, int count) {
        int oldest = bit(epoch - count + 1);
        long bits = (1L << count) - 1;
        return (bits << oldest | bits >>> (laneBits - oldest)) & laneMask;
    }

    private long sealedAtWord(long generation) {
        return FilterLayout.SEALED_AT_WORD + bit(generation);
    }
}
