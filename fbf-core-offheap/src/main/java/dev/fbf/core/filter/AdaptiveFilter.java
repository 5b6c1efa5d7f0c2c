package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The filter of a scope: one arena, or several while the load changes. Public for {@code KeyedFilter} alone. */
public final class AdaptiveFilter implements ForgetfulBloomFilter {

    /*
     * The newest arena takes every put; the others are checked until their window has passed since it took over.
     *
     * Growth (one at a time): create an empty arena, on a thread of its own, since the refreshes of other scopes must not
     *                         wait for gigabytes of zeros;  publish the arenas with it in front;  note the time at
     *                         which the one before it was superseded: now, surely after every put into it
     * Put:    read the arenas;  put into the newest;  read the arenas again, repeat if another is the newest
     * Check:  read the arenas;  check one after another
     *
     * A put that has ended is in the arena that was the newest when it ended, so a later check finds it there.
     *
     * Drop:   publish the arenas without it and delete its file;  unmap it when no reader can have it
     *
     * Readers take no lock and count nothing: that would cost as much as a cache line. A reader reaches arenas only
     * through the view that it loaded, and keeps that view strongly reachable (reachabilityFence) until its last access.
     * So when the collector has cleared the weak references to all views with an arena, none of its readers is left; a
     * new one cannot come, since the current view is without it. This holds however long a reader is held up, and
     * whatever the clock says.
     *
     * That needs a collection, but only one of young objects: each sample publishes a fresh view, so that none grows old
     * before it is garbage. A sample itself allocates a hundred kilobytes, so that a collection comes even to an idle
     * application. Until then the arena's bytes count as taken.
     *
     * A view is the array with the arenas.
     */
    private static final Logger log = LoggerFactory.getLogger(AdaptiveFilter.class);

    /** Samples of the load in a period, within the bounds below. */
    private static final long SAMPLES_IN_A_PERIOD = 100;

    private static final long MAX_MILLIS_BETWEEN_SAMPLES = 1_000;

    /** The time between two lines of the log that say the same, and between attempts to grow. */
    private static final long MILLIS_BETWEEN_ATTEMPTS = 60_000;

    /** The number of words of a secret. */
    public static final int SECRET_WORDS = ProbeHash.SECRET_WORDS;

    private static final Arena[] NONE = {};

    private static final String ACTION = "State more operations per second.";

    private final String scope;
    private final FilterPlan asked;
    private final ArenaStore store;
    private final FilterClock clock;

    /** When the operations that a power failure took are older than the window. */
    private volatile long completeAt;

    /** When all operations that its files lack are older than the window. */
    private volatile long noLongerLackingAt;

    /** The newest first; none once the filter is closed. The array does not change. */
    private volatile Arena[] arenas;

    /** Earlier views that a reader may still have. */
    private final List<WeakReference<Arena[]>> formerViews = new ArrayList<>();

    /** Dropped arenas that are still mapped, each with the views that had it. */
    private final Map<Arena, List<WeakReference<Arena[]>>> dropped = new HashMap<>();

    /** The growth of the newest arena. */
    private volatile Growth growth;

    private final ThreadFactory threads;

    /** Guarded by this, except in {@link #awaitGrowth}. */
    private volatile Creation creation;

    private volatile long droppedBytes;

    private long sampledAt;

    /** Whether the log does not say yet that the filter is complete again. */
    private boolean incomplete;

    /** The filter's false positives, as of the last sample. */
    private volatile FalsePositives falsePositives = new AsStated();

    /**
     * Continues with existing arenas, or begins with a new one.
     *
     * @param arenas the newest first; none to begin. If the newest does not serve the plan that is asked for, an arena
     *     that does takes over when there is room for it
     */
    AdaptiveFilter(String scope, FilterPlan asked, ArenaStore store, FilterClock clock, List<Arena> arenas) {
        this(scope, asked, store, clock, arenas, work -> new Thread(work, "fbf-grow"));
    }

    /**
     * As the other constructor does.
     *
     * @param threads creates the thread in which an arena is created
     */
    AdaptiveFilter(
            String scope,
            FilterPlan asked,
            ArenaStore store,
            FilterClock clock,
            List<Arena> arenas,
            ThreadFactory threads) {
        this.scope = scope;
        this.threads = threads;
        this.asked = asked;
        this.store = store;
        this.clock = clock;
        this.arenas = arenas.isEmpty() ? new Arena[] {store.create(asked, clock)} : arenas.toArray(new Arena[0]);
        completeAt = arenas.stream().mapToLong(Arena::completeAt).max().orElse(FilterLayout.NONE);
        noLongerLackingAt =
                arenas.stream().mapToLong(Arena::noLongerLackingAt).max().orElse(FilterLayout.NONE);
        incomplete = !incompleteFor().isZero();
        supersedeAllButNewest();
        creation = new Idle(whyNotGrow());
        growth = new Growth(plan());
        sampledAt = clock.millis();
    }

    @Override
    public void put(OperationId id) {
        put(id.high(), id.low());
    }

    @Override
    public void putAll(OperationId... ids) {
        Batch.each(ids.length, (i, batch) -> batch.add(ids[i].high(), ids[i].low()), batch -> {
            touch(batch);
            return 0;
        });
        for (OperationId id : ids) {
            put(id);
        }
    }

    /** Remembers the operation with these halves of its id. */
    public void put(long high, long low) {
        putInNewest(high, low, false);
    }

    @Override
    public void putRequest(OperationId request) {
        putInNewest(request.high(), request.low(), true);
    }

    @Override
    public void putUnknownRequest(OperationId id) {
        putRequest(unknownRequest(id));
    }

    /** Returns the request that stands for an unknown one. */
    private static OperationId unknownRequest(OperationId id) {
        return new OperationId(~id.high(), id.low());
    }

    /** Returns the arenas; throws if the filter is closed. */
    private Arena[] open() {
        Arena[] current = arenas;
        if (current.length == 0) {
            throw new IllegalStateException("the filter's directory was closed");
        }
        return current;
    }

    private void putInNewest(long high, long low, boolean asRequest) {
        Arena[] current = open();
        for (; ; ) {
            Arena[] now;
            try {
                if (asRequest) {
                    current[0].putRequest(high, low);
                } else {
                    current[0].put(high, low);
                }
                now = open();
                if (now[0] == current[0]) {
                    return;
                }
            } finally {
                Reference.reachabilityFence(current);
            }
            current = now;
        }
    }

    @Override
    public boolean mightContain(OperationId id) {
        return mightContain(id.high(), id.low());
    }

    /** {@return whether the operation with these halves of its id may have been put within the window} */
    public boolean mightContain(long high, long low) {
        Arena[] current = open();
        try {
            for (Arena arena : current) {
                if (arena.mightContain(high, low)) {
                    return true;
                }
            }
            return false;
        } finally {
            Reference.reachabilityFence(current);
        }
    }

    @Override
    public boolean[] mightContainAll(OperationId... ids) {
        return Batch.each(ids.length, (i, batch) -> batch.add(ids[i].high(), ids[i].low()), this::find);
    }

    /** {@return a bit for each operation of a batch: whether it may have been put within the window} */
    public long find(Batch batch) {
        Arena[] current = open();
        try {
            long found = 0;
            for (Arena arena : current) {
                found |= arena.find(batch);
            }
            return found;
        } finally {
            Reference.reachabilityFence(current);
        }
    }

    /** Loads the lines that puts of a batch need. */
    public void touch(Batch batch) {
        Arena[] current = open();
        try {
            current[0].touch(batch);
        } finally {
            Reference.reachabilityFence(current);
        }
    }

    /** Returns false if an arena has no requests, or lacks some after a power failure. */
    @Override
    public boolean isOfAnotherRequest(OperationId id, OperationId request) {
        OperationId unknown = unknownRequest(id);
        open();
        return read(current -> current.stream()
                        .noneMatch(arena -> arena.mightContainRequest(request) || arena.mightContainRequest(unknown))
                && current.stream().anyMatch(arena -> arena.hasRequests() && arena.mightContain(id))
                && incompleteFor().isZero());
    }

    @Override
    public void restore(OperationId id, @Nullable OperationId request, long putAt) {
        Arena[] current = open();
        try {
            Arrays.stream(current)
                    .filter(arena -> arena.tookPutsAt(putAt))
                    .reduce((newer, older) -> older)
                    .orElseThrow()
                    .restore(id, request, putAt);
        } finally {
            Reference.reachabilityFence(current);
        }
    }

    @Override
    public long millis() {
        return clock.millis();
    }

    @Override
    public FilterPlan plan() {
        Arena[] current = arenas;
        return current.length == 0 ? asked : current[0].plan();
    }

    @Override
    public FilterStats stats() {
        List<ArenaStats> sampled =
                read(current -> current.stream().map(Arena::stats).toList());
        return new FilterStats(asked.stated().falsePositiveProbability(), sampled, droppedBytes);
    }

    @Override
    public Duration incompleteFor() {
        return Duration.ofMillis(Math.max(0, completeAt - clock.millis()));
    }

    @Override
    public void noteLacking() {
        Arena[] current = open();
        try {
            current[0].noteLacking();
            noLongerLackingAt = current[0].noLongerLackingAt();
        } finally {
            Reference.reachabilityFence(current);
        }
    }

    @Override
    public Duration lackingFor() {
        return Duration.ofMillis(Math.max(0, noLongerLackingAt - clock.millis()));
    }

    /** Writes the filter, as {@code FilterStream} describes, for {@link InMemoryFilter#read}. */
    public void writeTo(OutputStream out) throws IOException {
        Arena[] current = open();
        try {
            FilterStream.write(asked, Arrays.stream(current).map(Arena::words).toList(), clock, out);
        } finally {
            Reference.reachabilityFence(current);
        }
    }

    /** Adds what another filter with the same sizing and secret remembers; each put is remembered for no shorter than there. */
    public void merge(AdaptiveFilter other) {
        if (!asked.serves(other.asked)
                || !Arrays.equals(newest().secret(), other.newest().secret())) {
            throw new IllegalArgumentException("other: its sizing or its secret is another one");
        }
        Arena[] merged = other.open();
        try {
            for (int i = merged.length - 1; i >= 0; i--) { // the newest last: what it needs, the newest here has
                merge(merged[i]);
            }
            if (!other.incompleteFor().isZero()) {
                newest().noteIncomplete();
                completeAt = newest().completeAt();
            }
        } finally {
            Reference.reachabilityFence(merged);
        }
    }

    private void merge(Arena other) {
        for (; ; ) {
            awaitGrowth();
            synchronized (this) {
                if (!(creation instanceof Creating)) {
                    like(other).merge(other);
                    return;
                }
            }
        }
    }

    /** Returns an arena in which bits mean what they mean in another one: grows if there is none. */
    private Arena like(Arena other) {
        for (Arena arena : arenas) {
            if (arena.isLike(other)) {
                return arena;
            }
        }
        long bytes = other.plan().bytes() + stats().bytes();
        boolean closed = creation instanceof Closed;
        if (closed || bytes > asked.stated().maxBytes()) {
            throw new IllegalStateException(
                    closed ? "the filter's directory was closed" : "other: would take this one to " + bytes + " bytes");
        }
        growTo(other.plan());
        return newest();
    }

    /** Refreshes the arenas that are due, drops outlived ones, and samples the load. */
    synchronized void maintain() {
        reportComplete();
        for (Arena arena : arenas) {
            arena.requireInPlace();
            arena.refreshIfDue();
        }
        dropOutlived();
        unmapDropped();
        long sinceLastSample = clock.millis() - sampledAt;
        if (sinceLastSample >= millisBetweenSamples()) {
            sampledAt += sinceLastSample;
            sample(sinceLastSample);
            publish(arenas.clone());
        }
    }

    /** Returns how long until {@link #maintain()} is due, in milliseconds. */
    long millisUntilDue() {
        long sample = sampledAt + millisBetweenSamples() - clock.millis();
        return read(current -> current.stream().mapToLong(Arena::millisUntilDue).reduce(sample, Math::min));
    }

    /** Reads arenas, which stay mapped meanwhile. */
    private <R> R read(Function<List<Arena>, R> reading) {
        Arena[] current = arenas;
        try {
            return reading.apply(Arrays.asList(current));
        } finally {
            Reference.reachabilityFence(current);
        }
    }

    /** Closes the arenas, after any growth has ended. */
    void close() {
        Creation last;
        synchronized (this) {
            last = creation;
            creation = new Closed();
            if (last instanceof Creating creating) {
                creating.thread.interrupt();
            }
        }
        last.await();
        synchronized (this) {
            for (Arena arena : arenas) {
                arena.close();
            }
            // from here on only a thread in the middle of an access keeps the files mapped
            arenas = NONE;
            formerViews.clear();
            dropped.clear();
            store.close();
        }
    }

    /** Returns when the next arena has taken over, or could not be created. */
    void awaitGrowth() {
        creation.await();
    }

    private void reportComplete() {
        if (incomplete && incompleteFor().isZero()) {
            incomplete = false;
            log.atInfo()
                    .addKeyValue("scope", scope)
                    .log(
                            "The filter of scope {} is complete again: the operations that the power failure took are older than the window.",
                            scope);
        }
    }

    private void sample(long sinceLastSample) {
        FilterStats stats = stats();
        FilterPlan next = plan().mayGrow() ? growth.next(stats, sinceLastSample) : null;
        if (!plan().serves(asked)
                && asked.bytes() + stats.bytes() <= asked.stated().maxBytes()) {
            next = asked;
        }
        if (creation instanceof Idle
                || (creation instanceof Failed failed
                        && sampledAt - failed.at
                                >= Math.min(
                                        MILLIS_BETWEEN_ATTEMPTS, plan().period().toMillis()))) {
            creation = next == null ? new Idle(whyNotGrow()) : create(next, stats.bytes());
        }
        report(stats);
    }

    private String whyNotGrow() {
        return !asked.mayGrow() ? "it may not adapt." : "the load rises faster than it adapts.";
    }

    /** Starts to create an arena, where it may. */
    private Creation create(FilterPlan plan, long bytesNow) {
        if (plan.bytes() + bytesNow > asked.stated().maxBytes()) {
            return new Failed(
                    sampledAt,
                    "with another arena it would pass the " + asked.stated().maxBytes() + " bytes it may take.");
        }
        CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        Thread thread = threads.newThread(() -> createAside(plan, ended));
        thread.setDaemon(true);
        try {
            thread.start();
            return new Creating(thread, ended);
        } catch (Error e) { // the system may have no thread to give
            return new Failed(sampledAt, whyFailed(e));
        }
    }

    private void createAside(FilterPlan plan, CompletableFuture<@Nullable Void> ended) {
        String failure = "";
        try {
            growTo(plan);
        } catch (StorageException e) {
            failure = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            failure = whyFailed(e);
        }
        synchronized (this) {
            if (!(creation instanceof Closed)) {
                creation = failure.isEmpty() ? new Idle("it has just grown.") : new Failed(sampledAt, failure);
            }
        }
        ended.complete(null);
    }

    private String whyFailed(Throwable failure) {
        log.atError().addKeyValue("scope", scope).setCause(failure).log("The filter of scope {} cannot grow.", scope);
        return failure + ".";
    }

    /** Logs that there are too many false positives, each minute with their rate, and once that there no longer are. */
    private void report(FilterStats stats) {
        FalsePositives before = falsePositives;
        if (!stats.overTarget()) {
            falsePositives = new AsStated();
            if (before instanceof TooMany) {
                log.atInfo()
                        .addKeyValue("scope", scope)
                        .log("The filter of scope {} has no more false positives than stated again.", scope);
            }
            return;
        }
        String rate = String.format(
                Locale.ROOT,
                "The filter of scope %s has about 1 false positive in %d new operations, more than the stated 1 in %d: %s No"
                        + " operation is forgotten.%s",
                scope,
                Math.round(1 / stats.estimatedFpp()),
                Math.round(1 / stats.targetFpp()),
                creation.whyNot(),
                stats.overfull() ? " Operations that it finds are refused, unless a ledger confirms them." : "");
        boolean isNew = !(before instanceof TooMany known && known.overfull == stats.overfull());
        boolean isDue = isNew || sampledAt - ((TooMany) before).loggedAt >= MILLIS_BETWEEN_ATTEMPTS;
        if (isDue) {
            log.atWarn().addKeyValue("scope", scope).log("{} {}", rate, ACTION);
        }
        falsePositives = new TooMany(
                isDue ? sampledAt : ((TooMany) before).loggedAt,
                stats.overfull(),
                stats.overfull() || creation instanceof Failed || !asked.mayGrow()
                        ? new StorageException(rate, ACTION, null)
                        : null);
    }

    @Override
    public boolean isOverfull() {
        return falsePositives instanceof TooMany many && many.overfull;
    }

    /** Returns why there are more false positives than stated, and will be; null if there are not. */
    @Nullable StorageException tooManyFalsePositives() {
        return falsePositives instanceof TooMany many ? many.problem : null;
    }

    /** {@return the secret of its hashes} */
    public long[] secret() {
        return newest().secret();
    }

    Arena newest() {
        return open()[0];
    }

    List<Arena> arenas() {
        return List.of(arenas);
    }

    /** Creates an arena that takes over. */
    void growTo(FilterPlan plan) {
        Arena arena = store.create(plan, clock);
        synchronized (this) {
            if (creation instanceof Closed) {
                store.remove(arena);
                return;
            }
            publish(Stream.concat(Stream.of(arena), Arrays.stream(arenas)).toArray(Arena[]::new));
            supersedeAllButNewest();
            growth = new Growth(plan);
        }
        log.atInfo()
                .addKeyValue("scope", scope)
                .log("The filter of scope {} goes on in another arena: {}", scope, plan);
    }

    private void publish(Arena[] arenas) {
        formerViews.removeIf(former -> former.refersTo(null));
        formerViews.add(new WeakReference<>(this.arenas));
        this.arenas = arenas;
    }

    private void supersedeAllButNewest() {
        Arrays.stream(arenas).skip(1).filter(arena -> !arena.isSuperseded()).forEach(Arena::supersede);
    }

    private void dropOutlived() {
        List<Arena> outlived = Arrays.stream(arenas).filter(Arena::isOutlived).toList();
        if (!outlived.isEmpty()) {
            publish(Arrays.stream(arenas)
                    .filter(arena -> !outlived.contains(arena))
                    .toArray(Arena[]::new));
            outlived.forEach(arena -> {
                store.remove(arena);
                dropped.put(arena, new ArrayList<>(formerViews));
            });
        }
    }

    private void unmapDropped() {
        dropped.forEach((arena, views) -> {
            views.removeIf(former -> former.refersTo(null));
            if (views.isEmpty()) {
                arena.unmap();
            }
        });
        dropped.values().removeIf(List::isEmpty);
        droppedBytes = dropped.keySet().stream()
                .mapToLong(arena -> arena.plan().bytes())
                .sum();
    }

    private long millisBetweenSamples() {
        long usual = plan().period().toMillis() / SAMPLES_IN_A_PERIOD;
        return growth.millisToNextSample(Math.min(MAX_MILLIS_BETWEEN_SAMPLES, Math.max(Growth.MIN_MILLIS, usual)));
    }

    /** {@code AS_STATED <-> TOO_MANY}, by each sample. */
    private sealed interface FalsePositives permits AsStated, TooMany {}

    private record AsStated() implements FalsePositives {}

    /**
     * More than stated.
     *
     * @param loggedAt by the clock of samples
     * @param overfull whether what the filter finds counts as unknown
     * @param problem null if the filter is about to grow
     */
    private record TooMany(
            long loggedAt, boolean overfull, @Nullable StorageException problem) implements FalsePositives {}

    /**
     * The creation of the next arena.
     *
     * <pre>
     * IDLE -> CREATING -> IDLE | FAILED      FAILED -> IDLE | CREATING | FAILED, after a minute      each -> CLOSED
     * </pre>
     */
    private sealed interface Creation permits Idle, Creating, Failed, Closed {

        /** {@return the reason why the filter has not grown, for the log} */
        String whyNot();

        /** Returns when the arena that is being created has taken over, or could not be created. */
        default void await() {
            // none is being created
        }
    }

    private record Idle(String whyNot) implements Creation {}

    private record Creating(Thread thread, CompletableFuture<@Nullable Void> ended) implements Creation {

        @Override
        public String whyNot() {
            return "it is growing.";
        }

        @Override
        public void await() {
            ended.join();
        }
    }

    /** Tries again a minute or a period after that, by the clock of samples. */
    private record Failed(long at, String whyNot) implements Creation {}

    private record Closed() implements Creation {

        @Override
        public String whyNot() {
            return "it is closed.";
        }
    }
}
