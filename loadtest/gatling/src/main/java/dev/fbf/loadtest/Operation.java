package dev.fbf.loadtest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * One intention of one client to count one view, and all the chance it will meet on its way.
 *
 * @param sends how many times over the client sends it until it is acknowledged
 * @param atOnce whether its first request has a twin at the same time
 * @param chance decides about each of its requests
 */
public record Operation(Endpoint endpoint, UUID key, int sends, boolean atOnce, SplittableRandom chance) {

    /**
     * The operations of one stage in the order in which they begin. Every {@link Endpoint} gets the same ones, side by side, and
     * chance decides which goes first: so none has to run in another's wake.
     */
    public static List<Operation> draw(Plan plan, SplittableRandom chance) {
        List<Endpoint> endpoints = Arrays.asList(Endpoint.values());
        Random order = new Random(chance.nextLong());
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < plan.operations(); i++) {
            int sends = sends(plan, chance);
            boolean atOnce = chance.nextDouble() < plan.atOnce();
            Collections.shuffle(endpoints, order);
            for (Endpoint endpoint : endpoints) {
                operations.add(new Operation(endpoint, key(chance), sends, atOnce, chance.split()));
            }
        }
        return operations;
    }

    /** One operation to one endpoint. */
    static Operation next(Endpoint endpoint, Plan plan, SplittableRandom chance) {
        boolean atOnce = chance.nextDouble() < plan.atOnce();
        return new Operation(endpoint, key(chance), sends(plan, chance), atOnce, chance.split());
    }

    private static int sends(Plan plan, SplittableRandom chance) {
        return chance.nextDouble() < plan.retries() ? 2 + chance.nextInt(plan.maxSends() - 1) : 1;
    }

    /** A random (version 4) UUID that the seed decides. */
    private static UUID key(SplittableRandom chance) {
        long high = (chance.nextLong() & ~0xF000L) | 0x4000L;
        long low = (chance.nextLong() >>> 2) | Long.MIN_VALUE;
        return new UUID(high, low);
    }
}
