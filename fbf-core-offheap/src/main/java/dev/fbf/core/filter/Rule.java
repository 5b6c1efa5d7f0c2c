package dev.fbf.core.filter;

import dev.fbf.core.model.ExactModel;
import dev.fbf.core.model.Spread;

/** Which generations an operation is put into, and which of them make the answer "present". */
public enum Rule {

    /**
     * The paper's rule (section III-D): put into the future and the present generation; found in the future one, in two
     * neighbours, or in the oldest alone. The reference.
     */
    PAPER {
        @Override
        long insertMask(int newest, int generations) {
            return (1L << newest) | (1L << (newest == 0 ? generations - 1 : newest - 1));
        }

        @Override
        boolean isPresent(long found, int newest, int generations) {
            // turned so that bit 0 is the spare, 1 the oldest generation, … and the last the newest, the future one
            int spare = next(newest, generations);
            long byAge = (found >>> spare) | (found << (generations - spare));
            long alone = (1L << 1) | (1L << (generations - 1));
            long pairs = (1L << (generations - 2)) - 2;
            return ((byAge & alone) | (byAge & (byAge >>> 1) & pairs)) != 0;
        }

        @Override
        double fpp(Spread spread, double elementsPerLine, int past, double elapsed) {
            return ExactModel.paper(spread, elementsPerLine, past, elapsed);
        }
    },

    /** Put into the present generation only; found in any live one. Needs a third to a half less memory. */
    SINGLE {
        @Override
        long insertMask(int newest, int generations) {
            return 1L << newest;
        }

        @Override
        boolean isPresent(long found, int newest, int generations) {
            return (found & ~(1L << next(newest, generations))) != 0;
        }

        @Override
        double fpp(Spread spread, double elementsPerLine, int past, double elapsed) {
            return ExactModel.single(spread, elementsPerLine, past, elapsed);
        }
    };

    /*
     * A lane has a ring of bits, one for each of N + 3 generations: N + 2 live ones and the spare. `newest` is the bit
     * of the newest live one (PAPER's future, SINGLE's present); before it come the older ones, and behind it the spare.
     */

    /** The bits of a lane that a put sets. */
    abstract long insertMask(int newest, int generations);

    /** Whether an operation whose positions are all set in the generations {@code found} counts as present. */
    abstract boolean isPresent(long found, int newest, int generations);

    /** The false positive probability by {@link ExactModel}. */
    abstract double fpp(Spread spread, double elementsPerLine, int past, double elapsed);

    static int next(int bit, int generations) {
        return bit + 1 == generations ? 0 : bit + 1;
    }
}
