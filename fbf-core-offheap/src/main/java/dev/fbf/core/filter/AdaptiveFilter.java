package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The filter of a scope: one arena, or several while the load changes. */
final class AdaptiveFilter implements ForgetfulBloomFilter {

    /*
     * The newest arena takes what is put; the others are asked until their window has passed since it took over.
     *
     * Growth (one at a time): make an empty arena, in a thread of its own, for the other scopes' refreshes must not
     *                         wait for gigabytes of zeros;  publish the arenas with it in front;  note the time at
     *                         which the one before it was superseded: now, surely after every put into it
     * Put:    read the arenas;  put into the newest;  read the arenas again, repeat if another is the newest
     * Check:  read the arenas;  ask one after another
     *
     * A put that has ended is in the arena that was the newest when it ended, so a check that begins later asks it.
     *
     * Drop:   publish the arenas without it and delete its file;  unmap it when no reader can have it
     *
     * Readers take no lock and count nothing: that would cost as much as a cache line. A reader reaches arenas through
     * the view that it loaded, and through nothing else, and keeps that view strongly reachable (reachabilityFence)
     * until its last access. So when the collector has cleared the weak references to all views that had an arena, none
     * of its readers is left; a new one cannot come, for the current view is without it. This holds however long a
     * reader is held up, and whatever the clock says.
     *
     * That needs a collection, but only one of young objects: each look publishes a fresh view, so that none grows old
     * before it is garbage. A look itself leaves a hundred kilobytes behind, so that a collection comes even to an idle
     * application. Until then the arena's bytes count as taken.
     */
    private static final Logger log = LoggerFactory.getLogger(AdaptiveFilter.class);

    /** How many looks at the load there are in a period, but for the bounds below. */
    private static final long LOOKS_IN_A_PERIOD = 100;

    private static final long MAX_MILLIS_BETWEEN_LOOKS = 1_000;

    private final String scope;
    private final FilterPlan asked;
    private final ArenaStore store;
    private final FilterClock clock;

    /** When what a power failure took need not be remembered any more. */
    private final long completeAt;

    /** What readers reach the arenas through. */
    private volatile View view;

    /** The views before it that a reader may still have. */
    private final List<WeakReference<View>> formerViews = new ArrayList<>();

    /** The arenas that were dropped and are still mapped, each with the views that had it. */
    private final Map<Arena, List<WeakReference<View>>> dropped = new HashMap<>();

    /** Of the newest arena. */
    private volatile Growth growth;

    /** Makes the next arena; null if none is being made. */
    private @Nullable Thread growing;

    private boolean closed;

    private volatile long droppedBytes;

    private long lookedAt;
    private long growthFailedAt;

    /** Why the filter did not grow when it last could have; kept until it is tried again. */
    private String whyNot;

    /** Whether nobody has been told yet that it is complete again. */
    private boolean incomplete;

    /** Whether the log last told of more false positives than were stated. */
    private boolean reported;

    /**
     * Goes on with some arenas, or begins.
     *
     * @param arenas the newest first; none of them to begin. If the newest does not do for what is asked, one that does
     *     takes over when there is room for it
     */
    AdaptiveFilter(String scope, FilterPlan asked, ArenaStore store, FilterClock clock, List<Arena> arenas) {
        this.scope = scope;
        this.asked = asked;
        this.store = store;
        this.clock = clock;
        view = new View(arenas.toArray(new Arena[0]));
        completeAt = arenas.stream().mapToLong(Arena::completeAt).max().orElse(FilterLayout.NONE);
        incomplete = !incompleteFor().isZero();
        if (arenas.isEmpty()) {
            takeOver(store.create(asked, clock));
        }
        supersedeAllButNewest();
        whyNot = whyNotGrow();
        growth = new Growth(plan());
        lookedAt = clock.millis();
    }

    @Override
    public void put(OperationId id) {
        putInNewest(arena -> arena.put(id));
    }

    @Override
    public void putRequest(OperationId request) {
        putInNewest(arena -> arena.putRequest(request));
    }

    @Override
    public void putUnknownRequest(OperationId id) {
        putRequest(unknownRequest(id));
    }

    /** Stands for whatever request it was. */
    private static OperationId unknownRequest(OperationId id) {
        return new OperationId(~id.high(), id.low());
    }

    private void putInNewest(Consumer<Arena> put) {
        View current = view;
        for (; ; ) {
            View now;
            try {
                put.accept(current.arenas[0]);
                now = view;
                if (now.arenas[0] == current.arenas[0]) {
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
        View asked = view;
        try {
            for (Arena arena : asked.arenas) {
                if (arena.mightContain(id)) {
                    return true;
                }
            }
            return false;
        } finally {
            Reference.reachabilityFence(asked);
        }
    }

    /** An arena without requests, or one that lacks some after a power failure, cannot tell: then it says no. */
    @Override
    public boolean isOfAnotherRequest(OperationId id, OperationId request) {
        View asked = view;
        try {
            OperationId unknown = unknownRequest(id);
            return Arrays.stream(asked.arenas).noneMatch(arena -> arena.mightContainRequest(request))
                    && Arrays.stream(asked.arenas).noneMatch(arena -> arena.mightContainRequest(unknown))
                    && Arrays.stream(asked.arenas).anyMatch(arena -> arena.hasRequests() && arena.mightContain(id))
                    && incompleteFor().isZero();
        } finally {
            Reference.reachabilityFence(asked);
        }
    }

    @Override
    public void restore(OperationId id, @Nullable OperationId request, long putAt) {
        View current = view;
        try {
            Arena then = Arrays.stream(current.arenas)
                    .filter(arena -> arena.tookPutsAt(putAt))
                    .reduce((newer, older) -> older)
                    .orElseThrow();
            if (request != null) {
                then.restoreRequest(request, putAt);
            }
            then.restore(id, putAt);
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
        return newest().plan();
    }

    @Override
    public FilterStats stats() {
        View sampled = view;
        try {
            return new FilterStats(
                    asked.stated().falsePositiveProbability(),
                    Arrays.stream(sampled.arenas).map(Arena::stats).toList(),
                    droppedBytes);
        } finally {
            Reference.reachabilityFence(sampled);
        }
    }

    @Override
    public Duration incompleteFor() {
        return Duration.ofMillis(Math.max(0, completeAt - clock.millis()));
    }

    /** Refreshes what is due, drops what is outlived, and looks at the load. */
    synchronized void maintain() {
        reportComplete();
        for (Arena arena : view.arenas) {
            arena.refreshIfDue();
        }
        dropOutlived();
        unmapDropped();
        long sinceLastLook = clock.millis() - lookedAt;
        if (sinceLastLook >= millisBetweenLooks(newest())) {
            lookedAt += sinceLastLook;
            look(sinceLastLook);
            publish(view.arenas);
        }
    }

    /** How long until {@link #maintain()} has something to do, in milliseconds. */
    long millisUntilDue() {
        View asked = view;
        try {
            return Stream.concat(
                            Arrays.stream(asked.arenas).map(Arena::millisUntilDue),
                            Stream.of(lookedAt + millisBetweenLooks(asked.arenas[0]) - clock.millis()))
                    .min(Long::compare)
                    .orElseThrow();
        } finally {
            Reference.reachabilityFence(asked);
        }
    }

    /** Returns when no arena is being made any more. */
    void close() {
        synchronized (this) {
            closed = true;
            if (growing != null) {
                growing.interrupt();
            }
        }
        awaitGrowth();
        synchronized (this) {
            for (Arena arena : view.arenas) {
                arena.close();
            }
        }
    }

    /** Returns when the arena that is being made has taken over, or could not be made. */
    void awaitGrowth() {
        Thread thread;
        synchronized (this) {
            thread = growing;
        }
        boolean interrupted = false;
        while (thread != null && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void reportComplete() {
        if (incomplete && incompleteFor().isZero()) {
            incomplete = false;
            log.atInfo()
                    .addKeyValue("scope", scope)
                    .log(
                            "The filter of scope {} is complete again: what the power failure took is older than the window.",
                            scope);
        }
    }

    private void look(long sinceLastLook) {
        FilterStats stats = stats();
        FilterPlan next = plan().mayGrow() ? growth.look(stats, sinceLastLook) : null;
        if (!plan().serves(asked)
                && asked.bytes() + stats.bytes() <= asked.stated().maxBytes()) {
            next = asked;
        }
        if (growing == null && lookedAt - growthFailedAt >= plan().period().toMillis()) {
            whyNot = next == null ? whyNotGrow() : grow(next, stats.bytes());
        }
        report(stats);
    }

    private String whyNotGrow() {
        return !asked.mayGrow() ? "it may not adapt." : "the load rises faster than it adapts.";
    }

    /** Returns why not. */
    private String grow(FilterPlan plan, long bytesNow) {
        if (plan.bytes() + bytesNow > asked.stated().maxBytes()) {
            growthFailedAt = lookedAt;
            return "with another arena it would pass the " + asked.stated().maxBytes() + " bytes it may take.";
        }
        growing = new Thread(() -> growAside(plan), "fbf-grow");
        growing.setDaemon(true);
        growing.start();
        return "it is growing.";
    }

    private void growAside(FilterPlan plan) {
        String failure = "";
        try {
            growTo(plan);
        } catch (StorageException e) {
            failure = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            failure = e.toString();
            log.atError().addKeyValue("scope", scope).setCause(e).log("The filter of scope {} cannot grow.", scope);
        }
        synchronized (this) {
            growing = null;
            whyNot = failure.isEmpty() ? "it has just grown." : failure;
            growthFailedAt = failure.isEmpty() ? growthFailedAt : lookedAt;
        }
    }

    /** Logs once that there are too many false positives, and once that there no longer are. */
    private void report(FilterStats stats) {
        if (stats.overTarget() && !reported) {
            reported = true;
            log.atWarn()
                    .addKeyValue("scope", scope)
                    .log(
                            "The filter of scope {} has about 1 false positive in {} new operations, more than the stated 1 in {}:"
                                    + " {} No operation is forgotten. State more operations per second.",
                            scope,
                            Math.round(1 / stats.estimatedFpp()),
                            Math.round(1 / stats.targetFpp()),
                            whyNot);
        } else if (!stats.overTarget() && reported) {
            reported = false;
            log.atInfo()
                    .addKeyValue("scope", scope)
                    .log("The filter of scope {} has no more false positives than stated again.", scope);
        }
    }

    /** The arena that takes what is put. */
    Arena newest() {
        return view.arenas[0];
    }

    /** All it has, the newest first. */
    List<Arena> arenas() {
        return List.of(view.arenas);
    }

    /** Goes on in another arena. */
    void growTo(FilterPlan plan) {
        Arena arena = store.create(plan, clock);
        synchronized (this) {
            if (closed) {
                store.remove(arena);
                return;
            }
            takeOver(arena);
            supersedeAllButNewest();
            growth = new Growth(plan);
        }
        log.atInfo()
                .addKeyValue("scope", scope)
                .log("The filter of scope {} goes on in another arena: {}", scope, plan);
    }

    private void takeOver(Arena newest) {
        publish(Stream.concat(Stream.of(newest), Arrays.stream(view.arenas)).toArray(Arena[]::new));
    }

    private void publish(Arena[] arenas) {
        formerViews.removeIf(former -> former.refersTo(null));
        formerViews.add(new WeakReference<>(view));
        view = new View(arenas);
    }

    private void supersedeAllButNewest() {
        Arrays.stream(view.arenas)
                .skip(1)
                .filter(arena -> !arena.isSuperseded())
                .forEach(Arena::supersede);
    }

    private void dropOutlived() {
        List<Arena> outlived =
                Arrays.stream(view.arenas).filter(Arena::isOutlived).toList();
        if (!outlived.isEmpty()) {
            publish(Arrays.stream(view.arenas)
                    .filter(arena -> !outlived.contains(arena))
                    .toArray(Arena[]::new));
            outlived.forEach(arena -> {
                store.remove(arena);
                dropped.put(arena, new ArrayList<>(formerViews));
            });
        }
    }

    private void unmapDropped() {
        dropped.values().forEach(views -> views.removeIf(former -> former.refersTo(null)));
        dropped.entrySet().removeIf(entry -> {
            boolean unreachable = entry.getValue().isEmpty();
            if (unreachable) {
                entry.getKey().unmap();
            }
            return unreachable;
        });
        droppedBytes = dropped.keySet().stream()
                .mapToLong(arena -> arena.plan().bytes())
                .sum();
    }

    private long millisBetweenLooks(Arena newest) {
        long looks = newest.plan().period().toMillis() / LOOKS_IN_A_PERIOD;
        return growth.millisToNextLook(Math.min(MAX_MILLIS_BETWEEN_LOOKS, Math.max(Growth.MIN_MILLIS, looks)));
    }

    /** Some arenas, the newest first, never none but in the constructor. */
    private static final class View {

        private final Arena[] arenas;

        View(Arena[] arenas) {
            this.arenas = arenas;
        }
    }
}
