package dev.fbf.core.plan;

/** Rule that defines which generations a put sets, and which combinations make an operation present. */
public enum Rule {

    /**
     * The paper's rule (section III-D): puts into the future and the present generation. An operation is present if the future generation,
     * two adjacent generations or the oldest contain it. The reference.
     */
    PAPER(2) {
        @Override
        public boolean isPresent(long found, int live) {
            long alone = 1L | (1L << (live - 1));
            long pairs = (1L << (live - 2)) - 1;
            return ((found & alone) | (found & (found >>> 1) & pairs)) != 0;
        }
    },

    /**
     * Puts into the present generation only; an operation is present if any live generation contains it. Saves a third to a half of the
     * memory that {@link #PAPER} needs.
     */
    SINGLE(1) {
        @Override
        public boolean isPresent(long found, int live) {
            return found != 0;
        }
    };

    /*
     * Sets of generations are bit sets by age: bit 0 is the oldest live generation, bit `live` - 1 the newest (PAPER's future, SINGLE's
     * present).
     */

    private final int generationsOfPut;

    Rule(int generationsOfPut) {
        this.generationsOfPut = generationsOfPut;
    }

    /** {@return the number of newest generations in which a put sets its positions} */
    public int generationsOfPut() {
        return generationsOfPut;
    }

    /** {@return whether an operation whose positions are all set in the generations {@code found} is present} */
    public abstract boolean isPresent(long found, int live);
}
