package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The growth of a filter: samples the load, creates the next arena, and reports too many false positives. */
final class Growth {

    /**
     * IDLE -> CREATING | FAILED; CREATING -> IDLE | FAILED; each -> CLOSED; FAILED -> IDLE | CREATING | FAILED, after a minute, or after a
     * period if that is shorter.
     *
     * <p>Changes under the filter's lock. An arena is created on a separate thread, because the refreshes of other scopes must not wait for
     * gigabytes of zeros.
     */
    private enum State {
        IDLE,
        CREATING,
        FAILED,
        CLOSED
    }

    /**
     * The state while the false positive probability exceeds the stated one.
     *
     * @param loggedAt by the clock of samples
     * @param overfull whether a hit of the filter proves nothing
     * @param problem null if the filter may still grow
     */
    private record TooMany(
            long loggedAt, boolean overfull, @Nullable StorageException problem) {}

    /** The filter's logger, so that a filter has one name in the log. */
    private static final Logger log = LoggerFactory.getLogger(ForgetfulBloomFilter.class);

    private static final long SAMPLES_IN_A_PERIOD = 100;

    private static final long SAMPLES_WITHOUT_LOAD = 10;

    private static final long MAX_MILLIS_BETWEEN_SAMPLES = 1_000;

    /** Interval between equal log lines; and between attempts to grow, unless a period is shorter. */
    private static final long MILLIS_BETWEEN_ATTEMPTS = 60_000;

    private static final String ACTION = "Raise the expected operations per second, and the maximum size if it is set.";

    private final String scope;
    private final FilterPlan asked;
    private final FilterClock clock;
    private final ForgetfulBloomFilter filter;

    private volatile State state = State.IDLE;

    /** The reason why the filter has not grown, for the log. */
    private volatile String whyNot;

    /** By the clock of samples. */
    private long failedAt;

    private @Nullable Thread creating;

    /** Completed unless an arena is being created. */
    private volatile CompletableFuture<@Nullable Void> created = CompletableFuture.completedFuture(null);

    private volatile @Nullable TooMany tooMany;
    private volatile GrowthDecision decision;
    private long sampledAt;

    Growth(String scope, FilterPlan asked, FilterClock clock, ForgetfulBloomFilter filter) {
        this.scope = scope;
        this.asked = asked;
        this.clock = clock;
        this.filter = filter;
        whyNot = whyNotGrow();
        decision = new GrowthDecision(filter.newest().plan());
        sampledAt = clock.millis();
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    boolean isOverfull() {
        TooMany now = tooMany;
        return now != null && now.overfull;
    }

    @Nullable StorageException tooManyFalsePositives() {
        TooMany now = tooMany;
        return now == null ? null : now.problem;
    }

    void begin(FilterPlan plan) {
        decision = new GrowthDecision(plan);
    }

    void await() {
        created.join();
    }

    /** Interrupts a running creation, waits for its end, and prevents further ones. */
    void close() {
        synchronized (filter) {
            state = State.CLOSED;
            if (creating != null) {
                creating.interrupt();
            }
        }
        await();
    }

    long millisUntilDue() {
        return sampledAt + millisBetweenSamples() - clock.millis();
    }

    void sampleIfDue() {
        long sinceLastSample = clock.millis() - sampledAt;
        if (sinceLastSample >= millisBetweenSamples()) {
            sampledAt += sinceLastSample;
            sample(sinceLastSample);
        }
    }

    private long millisBetweenSamples() {
        long samples = decision.isIdle() ? SAMPLES_WITHOUT_LOAD : SAMPLES_IN_A_PERIOD;
        long usual = filter.plan().period().toMillis() / samples;
        return decision.millisToNextSample(
                Math.min(MAX_MILLIS_BETWEEN_SAMPLES, Math.max(GrowthDecision.MIN_MILLIS, usual)));
    }

    private void sample(long sinceLastSample) {
        FilterStats stats = filter.stats();
        FilterPlan plan = filter.plan();
        FilterPlan next = plan.mayGrow() ? decision.next(stats, sinceLastSample) : null;
        if (!plan.serves(asked)
                && asked.bytes() + stats.bytes() <= asked.stated().maxBytes()) {
            next = asked;
        }
        boolean mayTryAgain = state == State.FAILED && sampledAt - failedAt >= millisAfterFailure(plan);
        if (state == State.IDLE || mayTryAgain) {
            if (next == null) {
                become(State.IDLE, whyNotGrow());
            } else {
                create(next, stats.bytes());
            }
        }
        report(stats);
    }

    private static long millisAfterFailure(FilterPlan plan) {
        return Math.min(MILLIS_BETWEEN_ATTEMPTS, plan.period().toMillis());
    }

    private String whyNotGrow() {
        return asked.mayGrow() ? "the load rises faster than the filter grows." : "it is not allowed to grow.";
    }

    private void become(State next, String why) {
        state = next;
        whyNot = why;
        if (next == State.FAILED) {
            failedAt = sampledAt;
        }
    }

    private void create(FilterPlan plan, long bytesNow) {
        long maxBytes = asked.stated().maxBytes();
        if (plan.bytes() + bytesNow > maxBytes) {
            become(State.FAILED, "another arena would exceed the filter's limit of " + maxBytes + " bytes.");
            return;
        }
        CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> createAside(plan, ended), "fbf-grow");
        thread.setDaemon(true);
        thread.start();
        become(State.CREATING, "it is growing.");
        creating = thread;
        created = ended;
    }

    private void createAside(FilterPlan plan, CompletableFuture<@Nullable Void> ended) {
        String failure = "";
        try {
            filter.growTo(plan);
        } catch (StorageException e) {
            failure = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("scope", scope).setCause(e).log("The filter of scope {} cannot grow.", scope);
            failure = e + ".";
        }
        synchronized (filter) {
            creating = null;
            if (!isClosed()) {
                become(
                        failure.isEmpty() ? State.IDLE : State.FAILED,
                        failure.isEmpty() ? "it has just grown." : failure);
            }
        }
        ended.complete(null);
    }

    /** Logs an exceeded false positive probability once per minute and at each change of {@link #isOverfull}, and its end once. */
    private void report(FilterStats stats) {
        TooMany before = tooMany;
        if (!stats.overTarget()) {
            tooMany = null;
            if (before != null) {
                log.atInfo()
                        .addKeyValue("scope", scope)
                        .log("The false positive rate of scope {} is back below its target.", scope);
            }
            return;
        }
        String rate = String.format(
                Locale.ROOT,
                "The filter of scope %s has about 1 false positive in %d new operations, more than the stated 1 in %d:"
                        + " %s No operation is forgotten.%s",
                scope,
                Math.round(1 / stats.estimatedFpp()),
                Math.round(1 / stats.targetFpp()),
                whyNot,
                stats.overfull() ? " Operations that it finds are refused, unless a ledger confirms them." : "");
        boolean isKnown = before != null
                && before.overfull == stats.overfull()
                && sampledAt - before.loggedAt < MILLIS_BETWEEN_ATTEMPTS;
        long loggedAt = isKnown && before != null ? before.loggedAt : sampledAt;
        if (!isKnown) {
            log.atWarn().addKeyValue("scope", scope).log("{} {}", rate, ACTION);
        }
        boolean staysSo = stats.overfull() || state == State.FAILED || !asked.mayGrow();
        tooMany = new TooMany(loggedAt, stats.overfull(), staysSo ? new StorageException(rate, ACTION) : null);
    }
}
