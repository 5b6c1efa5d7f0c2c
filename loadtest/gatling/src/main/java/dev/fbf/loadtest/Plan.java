package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * What clients do to an endpoint.
 *
 * @param maxSends such an operation is sent until it is acknowledged, from twice to this many times over
 * @param maxAttempts an operation that was not acknowledged after this many attempts failed
 * @param deadline how long it takes until an operation counts as failed
 */
record Plan(
        double retries,
        int maxSends,
        double atOnce,
        double giveUps,
        int maxAttempts,
        Duration hasty,
        Duration deadline) {

    Plan {
        if (retries > 0 && maxSends < 2) {
            throw new IllegalArgumentException(
                    "retries=" + retries + ", maxSends=" + maxSends + ": a retry is a second request at least");
        }
    }

    static Plan of(Settings settings) {
        return new Plan(
                settings.share("retries"),
                settings.atLeastOne("max-sends"),
                settings.share("at-once"),
                settings.share("give-ups"),
                settings.atLeastOne("max-attempts"),
                settings.millis("give-up-after-millis"),
                settings.seconds("deadline-seconds"));
    }

    /** Each operation is sent once, and waited for. */
    Plan calm() {
        return new Plan(0, 1, 0, 0, 1, hasty, deadline);
    }

    /**
     * One intention of one client to count one view, and all the chance it will meet on its way.
     *
     * @param chance decides about each of its requests
     */
    record Operation(Endpoint endpoint, UUID key, int sends, boolean atOnce, SplittableRandom chance) {}

    /**
     * So many operations for each {@link Endpoint}, in the order in which they begin. Each gets the same ones, side by side,
     * and chance decides which goes first: so none has to run in another's wake.
     */
    List<Operation> draw(int count, SplittableRandom chance) {
        List<Endpoint> endpoints = Arrays.asList(Endpoint.values());
        Random order = new Random(chance.nextLong());
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int sends = sends(chance);
            boolean twin = chance.nextDouble() < atOnce;
            Collections.shuffle(endpoints, order);
            for (Endpoint endpoint : endpoints) {
                operations.add(new Operation(endpoint, key(chance), sends, twin, chance.split()));
            }
        }
        return operations;
    }

    /** One operation to one endpoint. */
    Operation next(Endpoint endpoint, SplittableRandom chance) {
        boolean twin = chance.nextDouble() < atOnce;
        return new Operation(endpoint, key(chance), sends(chance), twin, chance.split());
    }

    private int sends(SplittableRandom chance) {
        return chance.nextDouble() < retries ? 2 + chance.nextInt(maxSends - 1) : 1;
    }

    /** A random (version 4) UUID that the seed decides. */
    private static UUID key(SplittableRandom chance) {
        long high = (chance.nextLong() & ~0xF000L) | 0x4000L;
        long low = (chance.nextLong() >>> 2) | Long.MIN_VALUE;
        return new UUID(high, low);
    }
}
