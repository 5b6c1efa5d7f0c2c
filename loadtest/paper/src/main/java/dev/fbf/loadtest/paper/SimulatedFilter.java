package dev.fbf.loadtest.paper;

import java.util.Arrays;

/** A forgetful Bloom filter of any m, k and N under any {@link Rule}: each position holds the set of its generations. */
final class SimulatedFilter {

    static final int MAX_PAST = 62;

    /** Up to so many generations the false positive probability is computed, beyond it is counted. */
    private static final int MOST_COMPUTED = 14;

    private static final int COUNTED = 100_000;

    private final Rule rule;
    private final int probes;
    private final long seed;
    private final long[] positions;
    /** How many elements came in each period, newest first. */
    private final int[] elements = new int[MAX_PAST + 2];

    private int past;

    SimulatedFilter(Rule rule, int positions, int probes, int past, long seed) {
        this.rule = rule;
        this.probes = probes;
        this.past = past;
        this.seed = seed;
        this.positions = new long[positions];
    }

    /**
     * Algorithm 1: an element goes in unless it seems to be there already.
     *
     * @return whether it went in
     */
    boolean insert(long element) {
        if (mightContain(element)) {
            return false;
        }
        long hash = Hash.of(seed, element);
        for (int i = 0; i < probes; i++) {
            positions[Hash.position(hash, i, positions.length)] |= rule.insertedInto();
        }
        elements[0]++;
        return true;
    }

    boolean mightContain(long element) {
        long found = -1;
        long hash = Hash.of(seed, element);
        for (int i = 0; i < probes && found != 0; i++) {
            found &= positions[Hash.position(hash, i, positions.length)];
        }
        return rule.present(found, past);
    }

    /** Makes every generation one older, drops the oldest and begins with an empty newest one. */
    void refresh() {
        long live = Rule.live(past);
        for (int i = 0; i < positions.length; i++) {
            positions[i] = positions[i] << 1 & live;
        }
        System.arraycopy(elements, 0, elements, 1, elements.length - 1);
        elements[0] = 0;
        Arrays.fill(elements, past + 2, elements.length, 0);
    }

    /** Adds empty past generations, or drops the oldest ones. */
    void resize(int newPast) {
        past = newPast;
        long live = Rule.live(past);
        for (int i = 0; i < positions.length; i++) {
            positions[i] &= live;
        }
        Arrays.fill(elements, past + 2, elements.length, 0);
    }

    int past() {
        return past;
    }

    /** What equation 3 and its like are asked for: what the filter has been filled with. */
    Load load() {
        return new Load(
                Arrays.stream(elements, 0, past + 2).asDoubleStream().toArray(), positions.length, probes, past);
    }

    /** The false positive probability of the filter as it is filled now. */
    double fpp() {
        return past + 2 <= MOST_COMPUTED ? computedFpp() : countedFpp(COUNTED);
    }

    /** From the bits: exact, since an absent element's positions are independent of what is set. */
    double computedFpp() {
        double[] share = new double[1 << (past + 2)];
        for (long position : positions) {
            share[(int) position] += 1.0 / positions.length;
        }
        return ExactFpp.of(rule, past, probes, share);
    }

    /** As the paper does it: asks for elements that were never put in. */
    double countedFpp(int absent) {
        int found = 0;
        for (long element = -absent; element < 0; element++) {
            found += mightContain(element) ? 1 : 0;
        }
        return (double) found / absent;
    }
}
