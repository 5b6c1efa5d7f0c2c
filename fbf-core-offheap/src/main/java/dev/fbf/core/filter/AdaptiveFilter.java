package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The filter of a scope: one arena, or several while the load changes. */
final class AdaptiveFilter implements ForgetfulBloomFilter {

    /*
     * The newest arena takes what is put; the others are asked until their window has passed since it took over.
     *
     * Growth (one at a time): make an empty arena;  publish the arenas with it in front;  note the time at which the
     *                         one before it was superseded: now, surely after every put into it
     * Put:    read the arenas;  put into the newest;  read the arenas again, repeat if another is the newest
     * Check:  read the arenas;  ask one after another
     *
     * A put that has ended is in the arena that was the newest when it ended, so a check that begins later asks it. An
     * arena that has been dropped stays mapped for as long as a thread can reach it.
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

    /** The newest first, never empty. */
    private volatile Arena[] arenas;

    /** That of the newest arena. */
    private AdaptationPolicy policy;

    private long lookedAt;
    private long growthFailedAt;

    /** Why the filter did not grow when it last could have; kept until it is tried again. */
    private String whyNot;

    /** Whether nobody has been told yet that it is complete again. */
    private boolean incomplete;

    /** Whether the filter was last said to be mistaken more often than was stated. */
    private boolean reported;

    /**
     * Goes on with some arenas, or begins.
     *
     * @param arenas the newest first, which does for what is asked; none of them to begin
     */
    AdaptiveFilter(String scope, FilterPlan asked, ArenaStore store, FilterClock clock, List<Arena> arenas) {
        this.scope = scope;
        this.asked = asked;
        this.store = store;
        this.clock = clock;
        this.arenas = arenas.toArray(new Arena[0]);
        completeAt = arenas.stream().mapToLong(Arena::completeAt).max().orElse(FilterLayout.NONE);
        incomplete = !incompleteFor().isZero();
        if (arenas.isEmpty()) {
            takeOver(asked);
        }
        supersedeAllButNewest();
        whyNot = whyNotGrow();
        policy = AdaptationPolicy.of(plan());
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
        Arena newest = newest();
        for (; ; ) {
            put.accept(newest);
            Arena now = newest();
            if (now == newest) {
                return;
            }
            newest = now;
        }
    }

    @Override
    public boolean mightContain(OperationId id) {
        for (Arena arena : arenas) {
            if (arena.mightContain(id)) {
                return true;
            }
        }
        return false;
    }

    /** An arena without requests, or one that lacks some after a power failure, cannot tell: then it says no. */
    @Override
    public boolean isOfAnotherRequest(OperationId id, OperationId request) {
        Arena[] asked = arenas;
        OperationId unknown = unknownRequest(id);
        return Arrays.stream(asked).noneMatch(arena -> arena.mightContainRequest(request))
                && Arrays.stream(asked).noneMatch(arena -> arena.mightContainRequest(unknown))
                && Arrays.stream(asked).anyMatch(arena -> arena.hasRequests() && arena.mightContain(id))
                && incompleteFor().isZero();
    }

    @Override
    public void force() {
        // what was put before is in one of these, or was outlived
        for (Arena arena : arenas) {
            arena.force();
        }
    }

    @Override
    public FilterPlan plan() {
        return newest().plan();
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

    /** Refreshes what is due, drops what is outlived, and looks at the load. */
    synchronized void maintain() {
        reportComplete();
        for (Arena arena : arenas) {
            arena.refreshIfDue();
        }
        dropOutlived();
        long sinceLastLook = clock.millis() - lookedAt;
        if (sinceLastLook >= millisBetweenLooks()) {
            lookedAt += sinceLastLook;
            look(sinceLastLook);
        }
    }

    /** How long until {@link #maintain()} has something to do, in milliseconds. */
    long millisUntilDue() {
        return Stream.concat(
                        Arrays.stream(arenas).map(Arena::millisUntilDue),
                        Stream.of(lookedAt + millisBetweenLooks() - clock.millis()))
                .min(Long::compare)
                .orElseThrow();
    }

    synchronized void close() {
        for (Arena arena : arenas) {
            arena.close();
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
        if (lookedAt - growthFailedAt >= newest().period()) {
            FilterPlan next = policy.look(stats, newest(), sinceLastLook);
            whyNot = next == null ? whyNotGrow() : grow(next, stats.bytes());
        }
        report(stats);
    }

    private String whyNotGrow() {
        return asked.adaptation() == Adaptation.NONE ? "it may not adapt." : "the load rises faster than it adapts.";
    }

    /** Returns why not. */
    private String grow(FilterPlan plan, long bytesNow) {
        if (plan.bytes() + bytesNow > asked.stated().maxBytes()) {
            growthFailedAt = lookedAt;
            return "with another arena it would pass the " + asked.stated().maxBytes() + " bytes it may take.";
        }
        try {
            growTo(plan);
            policy = AdaptationPolicy.of(plan());
            log.atInfo()
                    .addKeyValue("scope", scope)
                    .log("The filter of scope {} goes on in another arena: {}", scope, plan);
            return "it has just grown.";
        } catch (StorageException e) {
            growthFailedAt = lookedAt;
            return String.valueOf(e.getMessage());
        }
    }

    /** Says once that the filter is mistaken too often, and once that it no longer is. */
    private void report(FilterStats stats) {
        if (stats.overTarget() && !reported) {
            reported = true;
            log.atWarn()
                    .addKeyValue("scope", scope)
                    .log(
                            "The filter of scope {} takes about 1 in {} new operations for a retry, more than the stated 1 in {}:"
                                    + " {} It forgets nothing. Ask for a filter for more operations per second.",
                            scope,
                            Math.round(1 / stats.estimatedFpp()),
                            Math.round(1 / stats.targetFpp()),
                            whyNot);
        } else if (!stats.overTarget() && reported) {
            reported = false;
            log.atInfo()
                    .addKeyValue("scope", scope)
                    .log("The filter of scope {} is as seldom mistaken as was stated again.", scope);
        }
    }

    /** The arena that takes what is put. */
    Arena newest() {
        return arenas[0];
    }

    /** All it has, the newest first. */
    List<Arena> arenas() {
        return List.of(arenas);
    }

    /** Goes on in another arena. */
    synchronized void growTo(FilterPlan plan) {
        takeOver(plan);
        supersedeAllButNewest();
    }

    private void takeOver(FilterPlan plan) {
        Arena newest = store.create(plan, clock);
        arenas = Stream.concat(Stream.of(newest), Arrays.stream(arenas)).toArray(Arena[]::new);
    }

    private void supersedeAllButNewest() {
        Arrays.stream(arenas).skip(1).filter(arena -> !arena.isSuperseded()).forEach(Arena::supersede);
    }

    private void dropOutlived() {
        List<Arena> outlived = Arrays.stream(arenas).filter(Arena::isOutlived).toList();
        if (!outlived.isEmpty()) {
            arenas = Arrays.stream(arenas)
                    .filter(arena -> !outlived.contains(arena))
                    .toArray(Arena[]::new);
            outlived.forEach(store::remove);
        }
    }

    private long millisBetweenLooks() {
        long looks = arenas[0].period() / LOOKS_IN_A_PERIOD;
        return policy.millisToNextLook(Math.min(MAX_MILLIS_BETWEEN_LOOKS, Math.max(Growth.MIN_MILLIS, looks)));
    }
}
