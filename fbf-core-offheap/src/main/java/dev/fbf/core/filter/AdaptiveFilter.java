package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Filter of a scope: one arena, or several while the load changes. Public only for {@code KeyedFilter}. */
public final class AdaptiveFilter implements ForgetfulBloomFilter {

    /*
     * The newest arena takes every put; the others are checked until a window has passed since they were superseded.
     *
     * Growth (one at a time, see Growth): create an empty arena;  publish the arenas with it in front;  note the time at
     *                         which the one before it was superseded: now, which is after every put into it
     * Put:    read the arenas;  put into the newest;  read the arenas again, repeat if another is the newest, throw if the
     *         filter is closed
     * Check:  read the arenas;  check one after another
     *
     * A put that has ended is in the arena that was the newest when it ended, so a later check finds it there.
     *
     * Drop:   publish the arenas without it and delete its file;  a window later, unmap it
     *
     * Readers use neither locks nor counters, which would cost as much as a cache line. A thread that is delayed in the middle of an access
     * for longer than a window finds the words unmapped, and throws, or keeps them mapped: see MappedWords.
     */
    private static final Logger log = LoggerFactory.getLogger(AdaptiveFilter.class);

    private static final Arena[] NONE = {};

    private final String scope;
    private final FilterPlan asked;
    private final ArenaStore store;
    private final FilterClock clock;

    /** The time when all operations that a power failure may have taken are older than the window. */
    private volatile long completeAt;

    /** The time when all operations that the files lack are older than the window. */
    private volatile long noLongerLackingAt;

    /** See {@link #lostSince()}. */
    private volatile long lostSince;

    /** The newest first; empty once the filter is closed. The array is immutable. */
    private volatile Arena[] arenas;

    /** Dropped arenas that are still mapped. */
    private final List<Arena> dropped = new ArrayList<>();

    private final Growth growth;

    /** True if the filter was incomplete and its completion is not logged yet. */
    private boolean incomplete;

    /**
     * Continues with existing arenas, or begins with a new one.
     *
     * @param arenas the newest first; empty to begin. If the newest does not serve the requested plan, a new arena takes over when there is
     *     room for it
     */
    AdaptiveFilter(String scope, FilterPlan asked, ArenaStore store, FilterClock clock, List<Arena> arenas) {
        this.scope = scope;
        this.asked = asked;
        this.store = store;
        this.clock = clock;
        this.arenas = arenas.isEmpty() ? new Arena[] {store.create(asked, clock)} : arenas.toArray(new Arena[0]);
        completeAt = latest(arena -> arena.windowAfter(FilterLayout.INCOMPLETE_SINCE_WORD));
        noLongerLackingAt = latest(arena -> arena.windowAfter(FilterLayout.LACKING_SINCE_WORD));
        lostSince = latest(arena -> arena.header.get(FilterLayout.LOST_SINCE_WORD));
        incomplete = !incompleteFor().isZero();
        supersedeAllButNewest();
        growth = new Growth(scope, asked, clock, this);
    }

    private long latest(ToLongFunction<Arena> time) {
        return Arrays.stream(arenas).mapToLong(time).max().orElseThrow();
    }

    @Override
    public void put(OperationId id) {
        putInNewest(id, false);
    }

    @Override
    public void putRequest(OperationId request) {
        putInNewest(request, true);
    }

    @Override
    public void putUnknownRequest(OperationId id) {
        putRequest(unknownRequest(id));
    }

    private static OperationId unknownRequest(OperationId id) {
        return new OperationId(~id.high(), id.low());
    }

    /** Returns the arenas; throws if the filter is closed. */
    private Arena[] open() {
        Arena[] current = arenas;
        if (current.length == 0) {
            throw new IllegalStateException("the filter was closed");
        }
        return current;
    }

    private void putInNewest(OperationId id, boolean isRequest) {
        Arena current;
        Arena now = newest();
        do {
            current = now;
            current.put(id, isRequest);
            now = newest();
        } while (now != current);
    }

    @Override
    public boolean mightContain(OperationId id) {
        for (Arena arena : open()) {
            if (arena.mightContain(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isOfAnotherRequest(OperationId id, OperationId request) {
        OperationId unknown = unknownRequest(id);
        List<Arena> current = Arrays.asList(open());
        return current.stream()
                        .noneMatch(arena -> arena.mightContainRequest(request) || arena.mightContainRequest(unknown))
                && current.stream().anyMatch(arena -> arena.hasRequests() && arena.mightContain(id))
                && incompleteFor().isZero();
    }

    @Override
    public void restore(OperationId id, @Nullable OperationId request, long putAt) {
        Arrays.stream(open())
                .filter(arena -> arena.tookPutsAt(putAt))
                .reduce((newer, older) -> older)
                .orElseThrow()
                .restore(id, request, putAt);
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
        return new FilterStats(
                asked.stated().falsePositiveProbability(),
                Arrays.stream(arenas).map(Arena::stats).toList());
    }

    @Override
    public Duration incompleteFor() {
        return Duration.ofMillis(Math.max(0, completeAt - clock.millis()));
    }

    @Override
    public void noteLacking() {
        Arena newest = newest();
        newest.noteLacking();
        noLongerLackingAt = newest.windowAfter(FilterLayout.LACKING_SINCE_WORD);
    }

    @Override
    public Duration lackingFor() {
        return Duration.ofMillis(Math.max(0, noLongerLackingAt - clock.millis()));
    }

    @Override
    public List<FileBeat> beats() {
        return Arrays.stream(arenas).map(arena -> arena.header.beat()).toList();
    }

    /** Synchronized, as {@link #confirm} is, so that an arena that takes over meanwhile has the beat of the others. */
    @Override
    public synchronized void intend(long beat) {
        for (Arena arena : arenas) {
            arena.header.set(FilterLayout.INTENDED_BEAT_WORD, beat);
        }
    }

    @Override
    public synchronized void confirm(long beat) {
        for (Arena arena : arenas) {
            arena.header.set(FilterLayout.CONFIRMED_BEAT_WORD, beat);
        }
    }

    @Override
    public synchronized void noteLost(boolean lost) {
        lostSince = lost ? clock.millisRoundedUp() : FilterLayout.NONE;
        for (Arena arena : arenas) {
            arena.header.force(FilterLayout.LOST_SINCE_WORD, lostSince);
        }
    }

    @Override
    public long lostSince() {
        return lostSince;
    }

    /** Refreshes the arenas that are due, drops outlived ones, and samples the load. */
    synchronized void maintain() {
        reportComplete();
        for (Arena arena : arenas) {
            arena.requireInPlace();
            arena.refreshIfDue();
        }
        dropOutlived();
        growth.sampleIfDue();
    }

    /** Returns the time until {@link #maintain()} is due, in milliseconds. */
    long millisUntilDue() {
        return Arrays.stream(arenas).mapToLong(Arena::millisUntilDue).reduce(growth.millisUntilDue(), Math::min);
    }

    /** Closes the arenas, after any growth has ended. */
    void close() {
        growth.close();
        synchronized (this) {
            Arena[] last = arenas;
            arenas = NONE; // before the files are forced: a put that still finds its arena afterwards is on the disk
            for (Arena arena : last) {
                arena.close();
            }
            // from here on, only threads in the middle of an access keep the files mapped
            dropped.clear();
            store.close();
        }
    }

    void awaitGrowth() {
        growth.await();
    }

    private void reportComplete() {
        if (incomplete && incompleteFor().isZero()) {
            incomplete = false;
            log.atInfo()
                    .addKeyValue("scope", scope)
                    .log(
                            "The filter of scope {} is complete again: operations lost in the power failure are older"
                                    + " than the window.",
                            scope);
        }
    }

    @Override
    public boolean isOverfull() {
        return growth.isOverfull();
    }

    @Nullable StorageException tooManyFalsePositives() {
        return growth.tooManyFalsePositives();
    }

    public long[] secret() {
        return newest().header.secret();
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
            if (growth.isClosed()) {
                store.remove(arena);
                return;
            }
            FileBeat beat = arenas[0].header.beat();
            arena.header.set(FilterLayout.CONFIRMED_BEAT_WORD, beat.confirmed());
            arena.header.set(FilterLayout.INTENDED_BEAT_WORD, beat.intended());
            arenas = Stream.concat(Stream.of(arena), Arrays.stream(arenas)).toArray(Arena[]::new);
            supersedeAllButNewest();
            growth.begin(plan);
        }
        log.atInfo()
                .addKeyValue("scope", scope)
                .log("The filter of scope {} continues in another arena: {}", scope, plan);
    }

    private void supersedeAllButNewest() {
        Arrays.stream(arenas)
                .skip(1)
                .filter(arena -> !arena.header.isSuperseded())
                .forEach(Arena::supersede);
    }

    private void dropOutlived() {
        long now = clock.millis();
        List<Arena> outlived = Arrays.stream(arenas)
                .filter(arena -> arena.header.isOutlived(now))
                .toList();
        if (!outlived.isEmpty()) {
            arenas = Arrays.stream(arenas)
                    .filter(arena -> !outlived.contains(arena))
                    .toArray(Arena[]::new);
            outlived.forEach(store::remove);
            dropped.addAll(outlived);
        }
        dropped.removeIf(arena -> arena.unmapIfOutlivedTwice(now));
    }
}
