package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Filter that remembers operations for a window of time, and then forgets them.
 *
 * <p>An operation is found for a {@linkplain FilterPlan#window() window} from a moment within its put, unless the filter is {@linkplain
 * #incompleteFor() incomplete} or {@linkplain #lackingFor() lacks operations}. It is forgotten at the latest one period and one refresh
 * delay later, except for false positives. All methods except {@link #restore} are thread-safe and lock-free. Methods that write or check
 * throw an {@link IllegalStateException} once the filter is closed.
 *
 * <p>Source: Subramanyam, Gupta, Leslie and Wang, "Idempotent Distributed Counters Using a Forgetful Bloom Filter", section III.
 */
public class ForgetfulBloomFilter {

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
    private static final Logger log = LoggerFactory.getLogger(ForgetfulBloomFilter.class);

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

    /**
     * Continues with existing arenas, or begins with a new one.
     *
     * @param arenas the newest first; empty to begin. If the newest does not serve the requested plan, a new arena takes over when there is
     *     room for it
     */
    ForgetfulBloomFilter(String scope, FilterPlan asked, ArenaStore store, FilterClock clock, List<Arena> arenas) {
        this.scope = scope;
        this.asked = asked;
        this.store = store;
        this.clock = clock;
        this.arenas = arenas.isEmpty() ? new Arena[] {store.create(asked, clock)} : arenas.toArray(new Arena[0]);
        completeAt = latest(arena -> arena.windowAfter(FilterLayout.INCOMPLETE_SINCE_WORD));
        noLongerLackingAt = latest(arena -> arena.windowAfter(FilterLayout.LACKING_SINCE_WORD));
        lostSince = latest(arena -> arena.header.get(FilterLayout.LOST_SINCE_WORD));
        supersedeAllButNewest();
        growth = new Growth(scope, asked, clock, this);
    }

    private long latest(ToLongFunction<Arena> time) {
        return Arrays.stream(arenas).mapToLong(time).max().orElseThrow();
    }

    /** Remembers an operation. Once this returns, the operation survives the death of the process if the filter is in a directory. */
    public void put(OperationId id) {
        putInNewest(id, false);
    }

    /**
     * Remembers the request of an operation for {@link #isOfAnotherRequest}. Callers put the request before the operation. Has no effect if
     * the filter was not {@linkplain FilterSizing#requests() sized} for requests.
     *
     * @param fingerprint identifies the content of the request; null if that is not known, for example after a crash
     */
    public void putRequest(OperationId id, @Nullable Long fingerprint) {
        putInNewest(request(id, fingerprint), true);
    }

    /** Derives the id of a request; other requests for the same operation have other ids. Part of the file format. */
    private static OperationId request(OperationId id, @Nullable Long fingerprint) {
        return fingerprint == null
                ? new OperationId(~id.high(), id.low())
                : new OperationId(id.high() ^ fingerprint, ~id.low());
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

    /**
     * Checks whether an operation was put within the window.
     *
     * @return false if it definitely was not put within the window; true if it was, or is a false positive
     */
    public boolean mightContain(OperationId id) {
        for (Arena arena : open()) {
            if (arena.mightContain(id)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks whether an operation was put for another request than this one.
     *
     * <p>Returns false if the operation's request is not known: it was {@linkplain #putRequest put as unknown}, the operation was
     * put before the filter was sized for requests, or the filter is {@linkplain #incompleteFor() incomplete}.
     *
     * @param id an operation that {@link #mightContain} has found
     * @return true if it was put for another request or without one; false if it was put for this one, if that is not known, or by a false
     *     positive. The probability of a false positive here is about 1 in 8,500, if the filter's own is 1e-9 and a generation is full
     */
    public boolean isOfAnotherRequest(OperationId id, long fingerprint) {
        OperationId request = request(id, fingerprint);
        OperationId unknown = request(id, null);
        List<Arena> current = Arrays.asList(open());
        return current.stream()
                        .noneMatch(arena -> arena.mightContainRequest(request) || arena.mightContainRequest(unknown))
                && current.stream().anyMatch(arena -> arena.hasRequests() && arena.mightContain(id))
                && incompleteFor().isZero();
    }

    /**
     * Remembers an operation and its request as of the operation's original time, unless that is a window ago. Not called once other
     * threads use the filter.
     *
     * @param fingerprint as for {@link #putRequest}
     * @param putAt the time of its put, by {@link #millis()}
     */
    public void restore(OperationId id, @Nullable Long fingerprint, long putAt) {
        Arrays.stream(open())
                .filter(arena -> arena.tookPutsAt(putAt))
                .reduce((newer, older) -> older)
                .orElseThrow()
                .restore(id, request(id, fingerprint), putAt);
    }

    /** {@return the filter's time, which never runs backwards, in milliseconds since 1970} */
    public long millis() {
        return clock.millis();
    }

    /** {@return the plan of the filter's newest arena} */
    public FilterPlan plan() {
        Arena[] current = arenas;
        return current.length == 0 ? asked : current[0].plan();
    }

    /** {@return the statistics, as of now; a sample takes a millisecond or two, so that it can run every second} */
    public FilterStats stats() {
        return new FilterStats(
                asked.stated().falsePositiveProbability(),
                Arrays.stream(arenas).map(Arena::stats).toList());
    }

    /**
     * {@return the time for which the filter may still lack operations, because the machine went down (detected on Linux only) while it was
     * open: until a window has passed since it was opened again; zero if the filter is complete}
     */
    public Duration incompleteFor() {
        return Duration.ofMillis(Math.max(0, completeAt - clock.millis()));
    }

    /** Records, in its file if it has one, that the filter may lack operations put until now: for example, a file is an older copy. */
    public void noteLacking() {
        Arena newest = newest();
        newest.noteLacking();
        noLongerLackingAt = newest.windowAfter(FilterLayout.LACKING_SINCE_WORD);
    }

    /** {@return the time for which the filter may still lack operations within its window, after {@link #noteLacking()}} */
    public Duration lackingFor() {
        return Duration.ofMillis(Math.max(0, noLongerLackingAt - clock.millis()));
    }

    /** {@return the beat of each of the filter's files} */
    public List<FileBeat> beats() {
        return Arrays.stream(arenas).map(arena -> arena.header.beat()).toList();
    }

    /** Records in each file the beat that the database is to get. */
    public synchronized void intend(long beat) {
        for (Arena arena : arenas) {
            arena.header.set(FilterLayout.INTENDED_BEAT_WORD, beat);
        }
    }

    /** Records in each file that the database has a beat. */
    public synchronized void confirm(long beat) {
        for (Arena arena : arenas) {
            arena.header.set(FilterLayout.CONFIRMED_BEAT_WORD, beat);
        }
    }

    /** Records, in its file if it has one, whether the database lacks operations that the filter remembers. */
    public synchronized void noteLost(boolean lost) {
        lostSince = lost ? clock.millisRoundedUp() : FilterLayout.NONE;
        for (Arena arena : arenas) {
            arena.header.force(FilterLayout.LOST_SINCE_WORD, lostSince);
        }
    }

    /** {@return the time at which the database was found to lack operations, in milliseconds since 1970; 0 if it lacks none} */
    public long lostSince() {
        return lostSince;
    }

    /** Refreshes the arenas that are due, drops outlived ones, and samples the load. */
    synchronized void maintain() {
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

    /** {@return whether the filter was {@linkplain FilterStats#overfull() overfull} at the last sample: a hit then proves nothing} */
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
