package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One file's generations: which of them are live, and which takes what is put. */
final class Arena {

    /*
     * An arena is a sequence of generations. In epoch e, generation e is the newest; it and those before it, back to
     * the oldest that may still hold what must be remembered, are live. Generation g has bit g mod W in every lane of
     * W bits (see FilterLayout), so that the AND of an operation's lanes tells at once in which generations it is found
     * (see Rule). The bits of all that are not live are zero, or on the way there. One word holds the whole state:
     *
     *   state = epoch << 7 | live << 1 | clean     (live: how many are live, up to W - 1;
     *                                               clean: the bits that are not live are all zero)
     *
     * Turn (one at a time):   wait until clean
     *                         state: (e, live, clean) -> (e + 1, live + 1 - outlived, dirty), which publishes a bit
     *                         that is all zero as the newest generation and drops those that are outlived
     *                         note the time at which generation e was sealed: now, surely after every put into it
     *                         clear the bits that are not live;  state: (e + 1, …, dirty) -> (e + 1, …, clean)
     * Put:    read e;  set the bit of e (PAPER: and that of e - 1);  read the epoch again, repeat if it moved
     * Check:  read the lanes; when no generation has them all, the operation is absent: what must be remembered is in
     *         one that is not outlived, and such a one is never cleared
     *         read e and live;  read the lanes;                     read both again, repeat if one moved
     *
     * A generation is outlived when it was sealed a window ago, never before: a late turn delays. When all bits are
     * taken the turn waits.
     *
     * Publishing before clearing: had the bits been cleared first, a put that still takes them for live would set them
     * and lose them. Put's second read must come after its bits in the total order of volatile accesses, else a turn
     * could pass between them unseen; compare-and-set and volatile reads give that. When the second read still says e,
     * generation e was not yet sealed when the bits were set, because its time is noted after the new epoch is
     * published.
     *
     * By the paper's rule an operation may be found in a pair of generations, and after the older one was dropped in the
     * younger alone: so a check must know which it asks. (A turn may drop none, and some are dropped without a turn.)
     *
     * A put that is delayed by more than a window in the middle may set bits of a generation that has since been
     * cleared. It repeats in the right one; the stray bits can only make an absent element present, until that
     * bit is cleared again.
     *
     * Algorithm 2 of the paper, as printed, never reaches the check of the oldest generation when N > 1: it hangs on
     * the else-branch of the loop over the pairs. The text and equation 3 have it; so has Rule.PAPER.
     */
    private static final long CLEAN = 1;
    private static final int LIVE_SHIFT = 1;
    private static final int LIVE_MASK = 63;
    private static final int EPOCH_SHIFT = 7;
    /** {@link CheckedWord} leaves these bits to the epoch. */
    private static final int EPOCH_BITS = CheckedWord.BITS - EPOCH_SHIFT;

    /** Stands for the time at which a generation was sealed until that has happened: nothing is outlived by it. */
    static final long NOT_YET = CheckedWord.MAX_VALUE;

    private final FilterPlan plan;
    private final Words words;
    private final ArenaHeader header;
    private final Lanes lanes;
    private final FilterClock clock;
    private final Rule rule;
    private final int laneBits;
    private final int probeLines;

    /** How many lines a request takes; 0 if requests are not remembered. */
    private final int requestLines;

    private final long periodMillis;
    private final long windowMillis;

    private final boolean survivesPowerLoss;

    private volatile boolean closed;

    private final long openedAt;

    /** How late the last turn was, in milliseconds, not counting the time before the arena was opened. */
    private volatile long delay;

    /** One that need not survive a power loss. */
    Arena(FilterPlan plan, Words words, FilterClock clock) {
        this(plan, words, clock, false);
    }

    /**
     * Takes over words whose header was written by {@link #initialize} or an arena before this one.
     *
     * @param survivesPowerLoss whether what was forced is remembered for its window even then: each refresh takes as long
     *     as the disk does
     */
    Arena(FilterPlan plan, Words words, FilterClock clock, boolean survivesPowerLoss) {
        this.survivesPowerLoss = survivesPowerLoss;
        this.plan = plan;
        this.words = words;
        this.clock = clock;
        openedAt = clock.millis();
        header = new ArenaHeader(words);
        lanes = new Lanes(plan, words);
        rule = plan.rule();
        laneBits = plan.laneBits();
        probeLines = plan.spread().lines();
        requestLines = plan.sizing().requestLines(plan.spread());
        periodMillis = plan.period().toMillis();
        windowMillis = plan.window().toMillis();
    }

    /** Begins in words that are all zero: the live generations are empty and as old as they would be in the long run. */
    static void initialize(FilterPlan plan, Words words, FilterClock clock) {
        ArenaHeader header = new ArenaHeader(words);
        header.initialize(plan);
        long period = plan.period().toMillis();
        long epoch = plan.past() + 1L;
        for (long generation = 0; generation < epoch; generation++) {
            long age = (epoch - 1 - generation) * period;
            header.set(FilterLayout.SEALED_AT_WORD + generation, clock.millisRoundedUp() - age);
        }
        header.set(FilterLayout.STATE_WORD, epoch << EPOCH_SHIFT | (epoch + 1) << LIVE_SHIFT | CLEAN);
    }

    /**
     * Remembers an operation.
     *
     * @throws IllegalStateException if the arena was closed before the operation was surely remembered
     */
    void put(OperationId id) {
        put(lanes.seed(id), probeLines);
    }

    /**
     * Remembers the request of an operation that is put later, if requests are remembered here.
     *
     * @throws IllegalStateException as {@link #put} does
     */
    void putRequest(OperationId request) {
        if (requestLines > 0) {
            put(lanes.seed(request), requestLines);
        }
    }

    /** Remembers an operation as if it had been put at a time before. No other thread may turn the arena meanwhile. */
    void restore(OperationId id, long putAt) {
        restore(lanes.seed(id), probeLines, putAt);
    }

    /** Does the same for a request, if requests are remembered here. */
    void restoreRequest(OperationId request, long putAt) {
        if (requestLines > 0) {
            restore(lanes.seed(request), requestLines, putAt);
        }
    }

    private void restore(long seed, int lineCount, long putAt) {
        requireOpen();
        if (putAt + windowMillis <= clock.millis()) {
            return;
        }
        long state = state();
        long generation = epoch(state);
        long oldest = generation - live(state) + rule.generationsOfPut();
        while (generation > oldest && sealedAt(generation - 1) > putAt) {
            generation--;
        }
        lanes.set(seed, lineCount, bits(generation, rule.generationsOfPut()));
    }

    private void put(long seed, int lineCount) {
        requireOpen();
        long state = state();
        for (; ; ) {
            lanes.set(seed, lineCount, bits(epoch(state), rule.generationsOfPut()));
            long now = state();
            if (epoch(now) == epoch(state)) {
                break;
            }
            state = now;
        }
        requireOpen();
    }

    boolean mightContain(OperationId id) {
        requireOpen();
        long seed = lanes.seed(id);
        return lanes.find(seed) != 0 && isFoundInLiveOnes(seed, probeLines);
    }

    /** Whether the operations that are put here come with their requests. */
    boolean hasRequests() {
        return requestLines > 0;
    }

    boolean mightContainRequest(OperationId request) {
        requireOpen();
        return requestLines > 0 && isFoundInLiveOnes(lanes.seed(request), requestLines);
    }

    private boolean isFoundInLiveOnes(long seed, int lineCount) {
        long state = state();
        for (; ; ) {
            long found = lanes.find(seed, lineCount);
            long now = state();
            if (epoch(now) == epoch(state) && live(now) == live(state)) {
                return rule.isPresent(byAge(found, state), live(state));
            }
            state = now;
        }
    }

    FilterPlan plan() {
        return plan;
    }

    /**
     * Turns the generations if a period has gone by since the last turn, and drops those that are outlived.
     *
     * @return whether they were turned
     */
    synchronized boolean refreshIfDue() {
        requireOpen();
        boolean turned = turnIfDue();
        if (turned) {
            noteSealed(clock.millisRoundedUp());
        }
        dropOutlived();
        return turned;
    }

    /** Seals what the death of a process left between publishing and noting the time. */
    void sealWhatADeathLeftUnsealed() {
        long state = state();
        for (long generation = epoch(state) - live(state) + 1; generation < epoch(state); generation++) {
            if (sealedAt(generation) == NOT_YET) {
                header.set(sealedAtWord(generation), clock.millisRoundedUp());
            }
        }
    }

    /**
     * Makes up for the time in which no process had the arena open: nothing was put since it was cleanly shut down, so
     * the newest generation may count as sealed then.
     */
    synchronized void makeUpForTimeClosed() {
        long closedAt = header.get(FilterLayout.CLOSED_AT_WORD);
        // all the generations that the last puts went into, then nothing is left that the next turn would seal
        for (int turns = 0; turns < rule.generationsOfPut() && turnIfDue(); turns++) {
            noteSealed(closedAt);
        }
        dropOutlived();
    }

    /** How long until {@link #refreshIfDue()} has something to do, in milliseconds. */
    long millisUntilDue() {
        long state = state();
        long outlived = sealedAt(epoch(state) - live(state) + 1) + windowMillis;
        long turn = dueAt(epoch(state));
        return (live(state) == laneBits - 1 ? outlived : Math.min(turn, outlived)) - clock.millis();
    }

    /** Whether another arena took over so long ago that nothing put here must be remembered. */
    boolean isOutlived() {
        return isSuperseded() && header.get(FilterLayout.SUPERSEDED_AT_WORD) + windowMillis <= clock.millis();
    }

    boolean isSuperseded() {
        return header.get(FilterLayout.SUPERSEDED_AT_WORD) != FilterLayout.NONE;
    }

    /** Whether what was put at a time may have been put here: in that case it was not put in a newer arena alone. */
    boolean tookPutsAt(long time) {
        return !isSuperseded() || time <= header.get(FilterLayout.SUPERSEDED_AT_WORD);
    }

    /** Notes that no put will come any more, after another arena was published. */
    void supersede() {
        header.set(FilterLayout.SUPERSEDED_AT_WORD, clock.millisRoundedUp());
    }

    /** Notes that what was put last may be lost, up to now. */
    void noteIncomplete() {
        header.set(FilterLayout.INCOMPLETE_SINCE_WORD, clock.millisRoundedUp());
    }

    /** When all that may have been lost need not be remembered any more, or {@link FilterLayout#NONE}. */
    long completeAt() {
        long since = header.get(FilterLayout.INCOMPLETE_SINCE_WORD);
        return since == FilterLayout.NONE ? FilterLayout.NONE : since + windowMillis;
    }

    /** Looks at a part of the lines: a millisecond's work or two. */
    ArenaStats stats() {
        long state = state();
        int live = live(state);
        long oldest = epoch(state) - live + 1;
        long now = clock.millis();
        FillSample sample = new FillSample(
                plan,
                words,
                IntStream.range(0, live)
                        .map(age -> (int) (oldest + age) & (laneBits - 1))
                        .toArray());
        List<GenerationStats> newestFirst = new ArrayList<>();
        for (int age = live - 1; age >= 0; age--) {
            long sealedAt = age == live - 1 ? now : Math.min(sealedAt(oldest + age), now);
            newestFirst.add(new GenerationStats(
                    Duration.ofMillis(now - sealedAt), sample.fill(age), Math.round(sample.elements(age))));
        }
        return new ArenaStats(
                plan,
                isSuperseded(),
                Duration.ofMillis(Math.max(0, now - sealedAt(oldest + live - 2))),
                Duration.ofMillis(Math.max(delay, now - Math.max(openedAt, dueAt(epoch(state))))),
                sample.fpp(),
                newestFirst);
    }

    /** Gives the memory back. No thread may reach the arena any more. */
    void unmap() {
        words.unmap();
    }

    /** Stops the arena for good and marks the shutdown as clean. */
    synchronized void close() {
        closed = true;
        words.force(); // first: a power failure in between must be noticed
        header.set(FilterLayout.CLOSED_AT_WORD, clock.millisRoundedUp());
        words.force(0, FilterLayout.HEADER_WORDS);
    }

    private boolean turnIfDue() {
        clearDropped();
        long state = state();
        long epoch = epoch(state);
        int live = live(state) + 1 - outlived(state);
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
        replace(state, epoch + 1, live, 0);
        return true;
    }

    /** When the newest generation of an epoch has been the newest for a period. */
    private long dueAt(long epoch) {
        return sealedAt(epoch - 1) + periodMillis;
    }

    private void dropOutlived() {
        long state = state();
        int live = Math.max(rule.generationsOfPut(), live(state) - outlived(state));
        if (live < live(state)) {
            replace(state, epoch(state), live, 0);
        }
        clearDropped();
    }

    private void noteSealed(long time) {
        header.set(sealedAtWord(epoch(state()) - 1), time);
    }

    /** How many of the sealed generations, counted from the oldest, were sealed a window ago. */
    private int outlived(long state) {
        long now = clock.millis();
        int outlived = 0;
        for (long generation = epoch(state) - live(state) + 1; generation < epoch(state); generation++) {
            if (sealedAt(generation) + windowMillis > now) {
                break;
            }
            outlived++;
        }
        return outlived;
    }

    private void clearDropped() {
        long state = state();
        if ((state & CLEAN) == 0) {
            lanes.clear((-1L >>> (Long.SIZE - laneBits)) & ~bits(epoch(state), live(state)));
            if (survivesPowerLoss) {
                // what the disk still has of them would be found in a generation to come
                words.force();
            }
            replace(state, epoch(state), live(state), CLEAN);
        }
    }

    private void replace(long state, long epoch, int live, long clean) {
        long next = epoch << EPOCH_SHIFT | (long) live << LIVE_SHIFT | clean;
        words.compareAndSet(FilterLayout.STATE_WORD, state, CheckedWord.of(next));
    }

    /** The bits of a lane that stand for the newest generations. */
    private long bits(long epoch, int count) {
        int oldest = (int) (epoch - count + 1) & (laneBits - 1);
        long bits = (1L << count) - 1;
        return (bits << oldest | bits >>> (laneBits - oldest)) & (-1L >>> (Long.SIZE - laneBits));
    }

    /** Turns the live generations' bits of a lane so that bit 0 is the oldest of them, and drops the others. */
    private long byAge(long lane, long state) {
        int oldest = (int) (epoch(state) - live(state) + 1) & (laneBits - 1);
        return (lane >>> oldest | lane << (laneBits - oldest)) & ((1L << live(state)) - 1);
    }

    private long state() {
        return words.getVolatile(FilterLayout.STATE_WORD);
    }

    private static long epoch(long state) {
        return state >>> EPOCH_SHIFT & ((1L << EPOCH_BITS) - 1);
    }

    private static int live(long state) {
        return (int) (state >>> LIVE_SHIFT) & LIVE_MASK;
    }

    private long sealedAt(long generation) {
        return header.get(sealedAtWord(generation));
    }

    private long sealedAtWord(long generation) {
        return FilterLayout.SEALED_AT_WORD + (generation & (laneBits - 1));
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the filter's directory was closed");
        }
    }
}
