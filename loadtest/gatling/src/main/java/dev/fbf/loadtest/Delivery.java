package dev.fbf.loadtest;

import dev.fbf.loadtest.Plan.Operation;
import dev.fbf.loadtest.Tally.Cause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One operation on its way to the server: sent, and sent again until it is acknowledged, as many times over as its client likes.
 *
 * <p>Used by one thread at a time. An attempt is: {@link #begin}, {@link #sent} for each request that leaves, {@link #answered}
 * for each response that comes, {@link #conclude}.
 */
final class Delivery {

    /** How an attempt is made. */
    enum Manner {
        PATIENT,
        HASTY,
        TWICE_AT_ONCE
    }

    /** Shorter than any Retry-After, so that a client comes back while the operation may still be in progress. */
    private static final Duration WAIT_BEFORE_RESEND = Duration.ofMillis(50);

    private final Operation operation;
    private final Plan plan;
    private final Tally tally;
    private final LongSupplier nanoClock;

    private final long firstBegun;
    private final List<Integer> statuses = new ArrayList<>();
    private int sendsLeft;
    private int attempts;
    private int setbacks;
    private int inFlight;
    private long begun;
    private Manner manner = Manner.PATIENT;
    private @Nullable Cause cause;

    Delivery(Operation operation, Plan plan, Tally tally, LongSupplier nanoClock) {
        this.operation = operation;
        this.plan = plan;
        this.tally = tally;
        this.nanoClock = nanoClock;
        this.sendsLeft = operation.sends();
        this.firstBegun = nanoClock.getAsLong();
        tally.operation();
    }

    Operation operation() {
        return operation;
    }

    boolean isUnderway() {
        return sendsLeft > 0 && !isHopeless();
    }

    private boolean isHopeless() {
        return setbacks >= plan.maxAttempts()
                || nanoClock.getAsLong() - firstBegun > plan.deadline().toNanos();
    }

    void begin() {
        statuses.clear();
        inFlight = 0;
        if (attempts == 0 && operation.atOnce()) {
            manner = Manner.TWICE_AT_ONCE;
        } else {
            manner = operation.chance().nextDouble() < plan.giveUps() ? Manner.HASTY : Manner.PATIENT;
        }
        attempts++;
        begun = nanoClock.getAsLong();
    }

    Manner manner() {
        return manner;
    }

    void sent() {
        tally.sent(inFlight > 0 ? Cause.AT_ONCE : cause);
        inFlight++;
    }

    void answered(int status) {
        statuses.add(status);
        if (isAcknowledgement(status)) {
            tally.acknowledged();
            if (manner == Manner.PATIENT) {
                tally.answeredAfter(nanoClock.getAsLong() - begun);
            }
        }
    }

    void conclude() {
        int unanswered = inFlight - statuses.size();
        boolean hurried = manner == Manner.HASTY
                && nanoClock.getAsLong() - begun >= plan.hasty().toNanos();
        Cause silence = hurried ? Cause.GAVE_UP : Cause.LOST_RESPONSE;
        if (statuses.stream().anyMatch(Delivery::isAcknowledgement)) {
            sendsLeft--;
            cause = Cause.ON_PURPOSE;
            return;
        }
        setbacks++;
        if (inFlight > 0) {
            cause = unanswered > 0 ? silence : Cause.ofStatus(statuses.get(0));
        }
    }

    /** How long the client waits before its next attempt: not at all, unless the server asked for it. */
    Duration pause() {
        boolean asked = cause == Cause.IN_PROGRESS || cause == Cause.NO_ROOM || cause == Cause.REFUSED;
        return asked && isUnderway() ? WAIT_BEFORE_RESEND : Duration.ZERO;
    }

    /** Says so if the operation, or one of its repetitions, was never acknowledged. */
    void end() {
        if (sendsLeft > 0) {
            tally.failed("%s operation %s was not acknowledged after %d attempts; the last one: %s"
                    .formatted(
                            operation.endpoint(),
                            operation.key(),
                            attempts,
                            statuses.isEmpty() ? "no response" : statuses));
        }
    }

    private static boolean isAcknowledgement(int status) {
        return status / 100 == 2;
    }
}
