package dev.fbf.loadtest.paper;

/**
 * Into which generations an element goes, and when it counts as present.
 *
 * <p>A set of generations is a word: bit 0 is the newest one. Every rule has N + 2 of them.
 */
enum Rule {
    /** Algorithm 2 to the letter: for N > 1 its chain of else-ifs ends before the oldest generation is asked. */
    AS_PRINTED("as printed", 0b11),
    /** The paper's text and equation 3: the future one, or two neighbours, or the oldest alone. */
    CORRECTED("corrected", 0b11),
    /** Each element goes into the present generation only, and any generation may answer. */
    SINGLE("SINGLE", 0b1),
    /** The paper's simple check, which figure 8 compares with: inserted as the paper does, any generation answers. */
    SIMPLE("simple check", 0b11);

    private final String title;
    private final long insertedInto;

    Rule(String title, long insertedInto) {
        this.title = title;
        this.insertedInto = insertedInto;
    }

    /** Whether an element found in just these generations counts as present. */
    boolean present(long found, int past) {
        return switch (this) {
            case AS_PRINTED -> found(found, 0) || pair(found) || (past == 1 && found(found, past + 1));
            case CORRECTED -> found(found, 0) || pair(found) || found(found, past + 1);
            case SINGLE, SIMPLE -> found != 0;
        };
    }

    /** The generations a new element goes into. */
    long insertedInto() {
        return insertedInto;
    }

    @Override
    public String toString() {
        return title;
    }

    static long live(int past) {
        return (1L << (past + 2)) - 1;
    }

    private static boolean found(long found, int generation) {
        return (found >>> generation & 1) == 1;
    }

    /** Two neighbours among present and past; the future one answers alone. */
    private static boolean pair(long found) {
        long withoutFuture = found & ~1L;
        return (withoutFuture & withoutFuture >>> 1) != 0;
    }
}
