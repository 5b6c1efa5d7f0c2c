package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.MappedRing;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * A filter of one line, with N = 1, in the middle of its first period. Its time stands still until a test
 * moves it. Tests of threads access the filter's inside only through this class.
 */
public final class TinyFilter extends FilterDouble {

    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int LANE_BITS = 4;
    private static final int PAST = 1;
    private static final int PROBES = 2;

    /** An operation with its two positions in different words. */
    public static final OperationId OPERATION = first(id -> wordsOf(id).length == 2, 0);

    /** An operation with its positions in the same two words, but not the same ones. */
    public static final OperationId NEIGHBOUR = first(TinyFilter::isNeighbour, OPERATION.high() + 1);

    private final FilterPlan plan;
    private final Words memory;
    private final Words words;
    private final AtomicLong millis;
    /** As they are: no access but the filter's own comes in between. */
    private final Arena filter;

    private final Arena putting;
    private volatile Instant stateReadAt;

    /**
     * Makes a filter that is empty, on the heap.
     *
     * @param rule its rule
     */
    public TinyFilter(Rule rule) {
        this(rule, HeapWords::new);
    }

    /**
     * Makes a filter that is empty, in a mapped file.
     *
     * @param rule its rule
     * @return the filter
     */
    public static TinyFilter mapped(Rule rule) {
        return new TinyFilter(rule, MappedRing::next);
    }

    private TinyFilter(Rule rule, LongFunction<Words> memory) {
        this(plan(rule), emptyWords(plan(rule), memory), UnaryOperator.identity(), new AtomicLong());
        advance(PERIOD.dividedBy(2));
    }

    private TinyFilter(FilterPlan plan, Words memory, UnaryOperator<Words> view, AtomicLong millis) {
        this.plan = plan;
        this.memory = memory;
        this.millis = millis;
        words = view.apply(memory);
        stateReadAt = now();
        filter = new Arena(plan, words, FilterClock.of(this::now));
        putting = new Arena(plan, new StateReads(words), FilterClock.of(this::now));
    }

    static FilterPlan plan(Rule rule) {
        Spread spread = new Spread(1, PROBES, FilterLayout.LINE_BITS / LANE_BITS);
        FilterSizing sizing = FilterSizing.DEFAULT;
        return new FilterPlan(sizing, sizing, false, rule, LANE_BITS, PAST, 1, spread, PERIOD);
    }

    private static Words emptyWords(FilterPlan plan, LongFunction<Words> memory) {
        Words words = memory.apply(plan.bytes() / Long.BYTES);
        Arena.initialize(plan, words, FilterClock.of(() -> START), ProbeHash.randomSecret());
        HeapArenas.fixSecret(words);
        return words;
    }

    /** The same filter, as a thread has it that sees its words in another way. */
    TinyFilter seenThrough(UnaryOperator<Words> view) {
        return new TinyFilter(plan, memory, view, millis);
    }

    /** The same filter without any weakness. */
    TinyFilter asItIs() {
        return seenThrough(UnaryOperator.identity());
    }

    TinyFilter withoutSecondRead() {
        return seenThrough(Weakened::withoutSecondRead);
    }

    TinyFilter withTornCompareAndSet() {
        return seenThrough(Weakened::tornCompareAndSet);
    }

    @Override
    public void put(OperationId id) {
        putting.put(id, false);
    }

    @Override
    public boolean mightContain(OperationId id) {
        return filter.mightContain(id);
    }

    @Override
    public FilterPlan plan() {
        return plan;
    }

    @Override
    public FilterStats stats() {
        return new FilterStats(plan.stated().falsePositiveProbability(), List.of(filter.stats()));
    }

    /** Lets a period go by: half of it, the refresh, and the other half. */
    void rotate() {
        advance(PERIOD.dividedBy(2));
        filter.refreshIfDue();
        advance(PERIOD.dividedBy(2));
    }

    /**
     * When the last put through this object read the state for the last time, or just before. From then on
     * the operation is promised to be remembered for a window: the moment that put returns can be any time later.
     */
    Instant stateReadAt() {
        return stateReadAt;
    }

    private Instant now() {
        return START.plusMillis(millis.get());
    }

    void pass(int periods) {
        advance(PERIOD.multipliedBy(periods));
    }

    private void advance(Duration duration) {
        millis.addAndGet(duration.toMillis());
    }

    /** Lets the time go by, refreshes whenever it is due, and tells whether the operation is found for a window. */
    boolean keeps(OperationId id, Instant since) {
        while (now().isBefore(since.plus(plan.window()))) {
            if (!filter.mightContain(id)) {
                return false;
            }
            advance(PERIOD.dividedBy(4));
            filter.refreshIfDue();
        }
        return true;
    }

    private static long[] wordsOf(OperationId id) {
        TinyFilter filter = new TinyFilter(Rule.SINGLE);
        filter.put(id);
        return LongStream.range(FilterLayout.HEADER_WORDS, filter.words.size())
                .filter(index -> filter.words.getVolatile(index) != 0)
                .toArray();
    }

    private static boolean isNeighbour(OperationId id) {
        TinyFilter filter = new TinyFilter(Rule.SINGLE);
        filter.put(OPERATION);
        long[] indexes = wordsOf(OPERATION);
        long[] before = LongStream.of(indexes).map(filter.words::getVolatile).toArray();
        filter.put(id);
        long[] after = LongStream.of(indexes).map(filter.words::getVolatile).toArray();
        return Arrays.equals(indexes, wordsOf(id)) && before[0] != after[0] && before[1] != after[1];
    }

    private static OperationId first(Predicate<OperationId> condition, long from) {
        return LongStream.iterate(from, number -> number + 1)
                .mapToObj(number -> new OperationId(number, 0))
                .filter(condition)
                .findFirst()
                .orElseThrow();
    }

    /** Notes the time before each read of the state. */
    private final class StateReads extends WordsView {

        StateReads(Words words) {
            super(words);
        }

        @Override
        public long getVolatile(long index) {
            if (index == FilterLayout.STATE_WORD) {
                stateReadAt = now();
            }
            return super.getVolatile(index);
        }
    }
}
