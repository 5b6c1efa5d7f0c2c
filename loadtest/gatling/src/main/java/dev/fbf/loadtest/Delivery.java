package dev.fbf.loadtest;

import dev.fbf.loadtest.Tally.Cause;
import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One operation on its way to the server: sent, and sent again until it is acknowledged, as many times over as its client likes.
 *
 * <p>Used by one thread at a time. An attempt is: {@link #begin}, {@link #answered} if a response comes, {@link #conclude}.
 */
final class Delivery {

    /** Shorter than any Retry-After, so that a client comes back while the operation may still be in progress. */
    private static final Duration WAIT_BEFORE_RESEND = Duration.ofMillis(50);

    private final Endpoint endpoint;
    private final Plan plan;
    private final SplittableRandom chance;
    private final Tally tally;
    private final LongSupplier nanoClock;
    private final UUID key;
    private final long firstBegun;
    private int sendsLeft;
    private int attempts;
    private int status;
    private long begun;
    private boolean hasty;
    private @Nullable Cause cause;

    /**
     * What clients do.
     *
     * @param retries the share of operations that are sent again although they were acknowledged
     * @param maxSends such an operation is sent until it is acknowledged, from twice to this many times over
     * @param giveUps the share of requests whose client is in a hurry
     * @param hasty how long a client in a hurry waits for a response
     * @param deadline how long it takes until an operation counts as failed
     */
    record Plan(double retries, int maxSends, double giveUps, Duration hasty, Duration deadline) {

        static Plan of(Settings settings) {
            return new Plan(
                    settings.share("retries"),
                    settings.atLeastOne("max-sends"),
                    settings.share("give-ups"),
                    settings.millis("give-up-after-millis"),
                    settings.seconds("deadline-seconds"));
        }

        /** Each operation is sent once, and waited for. */
        Plan calm() {
            return new Plan(0, 1, 0, hasty, deadline);
        }
    }

    /** An operation begins. The chance decides about its key and each of its requests. */
    Delivery(Endpoint endpoint, Plan plan, SplittableRandom chance, Tally tally, LongSupplier nanoClock) {
        this.endpoint = endpoint;
        this.plan = plan;
        this.chance = chance;
        this.tally = tally;
        this.nanoClock = nanoClock;
        // a random (version 4) UUID, and another one where endpoints share the chance
        long low = chance.nextLong() + ((long) endpoint.name().hashCode() << 2);
        key = new UUID((chance.nextLong() & ~0xF000L) | 0x4000L, (low >>> 2) | Long.MIN_VALUE);
        sendsLeft = chance.nextDouble() < plan.retries ? 2 + chance.nextInt(plan.maxSends - 1) : 1;
        firstBegun = nanoClock.getAsLong();
        tally.operation();
    }

    Endpoint endpoint() {
        return endpoint;
    }

    UUID key() {
        return key;
    }

    boolean isUnderway() {
        return sendsLeft > 0 && nanoClock.getAsLong() - firstBegun <= plan.deadline.toNanos();
    }

    void begin() {
        status = 0;
        hasty = chance.nextDouble() < plan.giveUps;
        attempts++;
        begun = nanoClock.getAsLong();
        tally.sent(cause);
    }

    /** Whether the client of this attempt waits for a short time only. */
    boolean isHasty() {
        return hasty;
    }

    void answered(int responseStatus) {
        status = responseStatus;
        if (isAcknowledged()) {
            tally.acknowledged();
            if (!hasty) {
                tally.answeredAfter(nanoClock.getAsLong() - begun);
            }
        }
    }

    void conclude() {
        if (isAcknowledged()) {
            sendsLeft--;
            cause = Cause.ON_PURPOSE;
        } else if (status != 0) {
            cause = Cause.ofStatus(status);
        } else {
            boolean gaveUp = hasty && nanoClock.getAsLong() - begun >= plan.hasty.toNanos();
            cause = gaveUp ? Cause.GAVE_UP : Cause.LOST_RESPONSE;
        }
    }

    private boolean isAcknowledged() {
        return status / 100 == 2;
    }

    /** How long the client waits before its next attempt: not at all, unless the server asked for it. */
    Duration pause() {
        return status != 0 && !isAcknowledged() && isUnderway() ? WAIT_BEFORE_RESEND : Duration.ZERO;
    }

    /** Says so if the operation, or one of its repetitions, was never acknowledged. */
    void end() {
        if (sendsLeft > 0) {
            tally.failed("%s operation %s was not acknowledged after %d attempts; the last one: %s"
                    .formatted(endpoint, key, attempts, status == 0 ? "no response" : status));
        }
    }
}
