package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.MappedFault;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Part of a filter, in a file or in memory, that remembers each of its operations for a window. */
final class Arena {

    /*
     * An arena is a sequence of generations, of which some are live; Generations describes their rotation. Each generation has a bit in
     * every lane, so that the AND of an operation's lanes shows the generations that contain the operation (see Rule).
     *
     * Put:    read e;  set the bit of e (PAPER: and that of e - 1);  read the epoch again, repeat if it moved
     * Check:  read the lanes; if no generation has all of them, the operation is absent
     *         read e and live;  read the lanes;                     read both again, repeat if one moved
     *
     * The first step of a check needs no state: an operation that must be remembered is in a generation that is not outlived, and such
     * generations are never cleared.
     *
     * Put's second read must come after its bits in the total order of volatile accesses, otherwise a rotation could happen between them
     * unnoticed; compare-and-set and volatile reads give that. If the second read returns e again, generation e was not yet sealed when the
     * bits were set, because its time is noted after the new epoch is published.
     *
     * By the paper's rule an operation may be found in a pair of generations and, after the older one was dropped, in the younger one
     * alone: so a check must know which generations are live. (A rotation may drop none, and some are dropped without one.)
     *
     * A put that is delayed by more than a window in the middle may set bits of a generation that has since been
     * cleared. It repeats in the right one; the stray bits can only make an absent element present, until that
     * bit is cleared again.
     *
     * Algorithm 2 of the paper, as printed, never reaches the check of the oldest generation when N > 1: the check is in
     * the else-branch of the loop over the pairs. The text and equation 3 have it; so has Rule.PAPER.
     */
    private final FilterPlan plan;
    private final Words words;
    final ArenaHeader header;
    private final Lanes lanes;
    private final Generations generations;
    private final FilterClock clock;
    private final int probeLines;

    /** Number of lines per request; 0 if requests are not remembered. */
    private final int requestLines;

    private final long windowMillis;

    /** Opens an arena in words whose header was written by {@link #initialize} or an earlier arena. */
    Arena(FilterPlan plan, Words words, FilterClock clock) {
        this.plan = plan;
        this.words = words;
        this.clock = clock;
        header = new ArenaHeader(words);
        lanes = new Lanes(plan, words);
        generations = new Generations(plan, words, lanes, clock);
        probeLines = plan.spread().lines();
        requestLines = plan.sizing().requestLines(plan.spread());
        windowMillis = plan.window().toMillis();
    }

    /** Initializes zeroed words: the live generations are empty, and get the ages of a filter in steady operation. */
    static void initialize(FilterPlan plan, Words words, FilterClock clock, long[] secret) {
        ArenaHeader header = new ArenaHeader(words);
        header.initialize(plan, secret);
        Generations.initialize(plan, header, clock);
    }

    /** Creates an empty arena in off-heap memory, without a file. */
    static Arena allocate(FilterPlan plan, FilterClock clock, long[] secret) {
        Words words = MappedWords.allocate(plan.bytes() / Long.BYTES);
        initialize(plan, words, clock, secret);
        return new Arena(plan, words, clock);
    }

    /** Remembers an operation; or a request, if this arena remembers requests. */
    void put(OperationId id, boolean isRequest) {
        int lineCount = isRequest ? requestLines : probeLines;
        if (lineCount == 0) {
            return;
        }
        long seed = lanes.hash.seed(id);
        long epoch = ArenaState.epoch(generations.state());
        for (int attempts = 0; ; attempts++) {
            lanes.set(seed, lineCount, generations.bitsOfPut(epoch));
            long now = ArenaState.epoch(generations.state());
            if (now == epoch) {
                break;
            }
            requireQuiet(attempts);
            epoch = now;
        }
    }

    /** Remembers an operation and its request as of an earlier put within the window. No refresh may run meanwhile. */
    void restore(OperationId id, OperationId request, long putAt) {
        if (putAt + windowMillis > clock.millis()) {
            long bits = generations.bitsOfPut(generations.epochAt(putAt));
            if (requestLines > 0) {
                lanes.set(lanes.hash.seed(request), requestLines, bits);
            }
            lanes.set(lanes.hash.seed(id), probeLines, bits);
        }
    }

    boolean mightContain(OperationId id) {
        long seed = lanes.hash.seed(id);
        if (lanes.find(seed) != 0) {
            return isFoundInLiveOnes(seed, probeLines);
        }
        generations.state(); // throws if the file was zeroed: otherwise every operation would be absent
        return false;
    }

    boolean hasRequests() {
        return requestLines > 0;
    }

    boolean mightContainRequest(OperationId request) {
        return requestLines > 0 && isFoundInLiveOnes(lanes.hash.seed(request), requestLines);
    }

    private boolean isFoundInLiveOnes(long seed, int lineCount) {
        long state = generations.state();
        for (int attempts = 0; ; attempts++) {
            long found = lanes.find(seed, 0, lineCount);
            long now = generations.state();
            if (ArenaState.epoch(now) == ArenaState.epoch(state) && ArenaState.live(now) == ArenaState.live(state)) {
                return generations.havePresent(found, state);
            }
            requireQuiet(attempts);
            state = now;
        }
    }

    /** Throws if the state changes at each read: rotations are a period apart, so this has another cause. */
    private void requireQuiet(int attempts) {
        if (attempts == MappedFault.MAX_ATTEMPTS) {
            throw ArenaHeader.unsound(words);
        }
    }

    FilterPlan plan() {
        return plan;
    }

    /** Rotates the generations if a rotation is due, and drops outlived ones; returns whether it rotated. */
    synchronized boolean refreshIfDue() {
        return generations.rotateIfDue();
    }

    void sealAfterCrash() {
        generations.sealAfterCrash();
    }

    /**
     * Rotates if a rotation became due while no process had the arena open. No put followed the clean shutdown, so generations sealed here
     * count as sealed at the shutdown.
     */
    synchronized void rotateForTimeClosed() {
        generations.rotateForTimeSince(header.get(FilterLayout.CLOSED_AT_WORD));
    }

    long millisUntilDue() {
        return generations.millisUntilDue();
    }

    /** Returns whether operations put at a given time may be here; otherwise they are in a newer arena. */
    boolean tookPutsAt(long time) {
        return !header.isSuperseded() || time <= header.get(FilterLayout.SUPERSEDED_AT_WORD);
    }

    void supersede() {
        header.set(FilterLayout.SUPERSEDED_AT_WORD, clock.millisRoundedUp());
    }

    void noteIncomplete() {
        header.set(FilterLayout.INCOMPLETE_SINCE_WORD, clock.millisRoundedUp());
    }

    /** Returns the time a window after the one in a word of the header, or {@link FilterLayout#NONE}. */
    long windowAfter(long word) {
        long since = header.get(word);
        return since == FilterLayout.NONE ? FilterLayout.NONE : since + windowMillis;
    }

    /** @throws InternalError if its file was deleted, moved or truncated */
    void requireInPlace() {
        words.requireInPlace();
    }

    void noteLacking() {
        header.force(FilterLayout.LACKING_SINCE_WORD, clock.millisRoundedUp());
    }

    /** Samples some of the lines, which takes a millisecond or two. */
    ArenaStats stats() {
        long state = generations.state();
        long oldest = ArenaState.oldest(state);
        long newest = ArenaState.epoch(state);
        long now = clock.millis();
        FillSample sample = new FillSample(plan, words);
        List<Long> newestFirst = new ArrayList<>();
        for (long generation = newest; generation >= oldest; generation--) {
            newestFirst.add(Math.round(sample.elements(generations.bit(generation))));
        }
        double[] elements = newestFirst.stream().mapToDouble(Long::doubleValue).toArray();
        return new ArenaStats(
                plan,
                Duration.ofMillis(Math.max(0, now - generations.sealedAt(newest - 1))),
                plan.fpp(elements),
                newestFirst);
    }

    /** Releases the memory if another arena took over two windows ago; returns whether it did. */
    boolean unmapIfOutlivedTwice(long now) {
        boolean outlived = header.isOutlived(now - windowMillis);
        if (outlived) {
            words.unmap();
        }
        return outlived;
    }

    /** Marks the shutdown as clean, once the file is on the disk. */
    synchronized void close() {
        words.force(); // forced before the mark is set, so that a power failure in between is detected
        header.force(FilterLayout.CLOSED_AT_WORD, clock.millisRoundedUp());
    }
}
