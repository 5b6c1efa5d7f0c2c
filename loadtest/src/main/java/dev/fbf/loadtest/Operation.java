package dev.fbf.loadtest;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * One intention of one client to count one view, and all the chance it will meet on its way.
 *
 * @param sends how many times over the client sends it until it is acknowledged
 * @param atOnce whether its first request has a twin at the same time
 * @param chance decides about each of its requests
 */
record Operation(Endpoint endpoint, UUID key, int sends, boolean atOnce, SplittableRandom chance) {

    private static final List<Endpoint> GUARDED_FIRST = List.of(Endpoint.GUARDED, Endpoint.UNGUARDED);
    private static final List<Endpoint> UNGUARDED_FIRST = List.of(Endpoint.UNGUARDED, Endpoint.GUARDED);

    /**
     * The operations of one phase in the order in which they begin. Every {@link Endpoint} gets the same ones, side by side, and
     * chance decides which goes first: so neither has to run in the other's wake.
     */
    static List<Operation> draw(Plan plan, SplittableRandom chance) {
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < plan.operations(); i++) {
            int sends = 1 + chance.nextInt(plan.maxSends());
            boolean atOnce = chance.nextDouble() < plan.atOnce();
            for (Endpoint endpoint : chance.nextBoolean() ? GUARDED_FIRST : UNGUARDED_FIRST) {
                operations.add(new Operation(endpoint, key(chance), sends, atOnce, chance.split()));
            }
        }
        return operations;
    }

    /** A random (version 4) UUID that the seed decides. */
    private static UUID key(SplittableRandom chance) {
        long high = (chance.nextLong() & ~0xF000L) | 0x4000L;
        long low = (chance.nextLong() >>> 2) | Long.MIN_VALUE;
        return new UUID(high, low);
    }
}
