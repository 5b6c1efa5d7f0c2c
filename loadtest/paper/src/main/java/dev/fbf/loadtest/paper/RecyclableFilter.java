package dev.fbf.loadtest.paper;

import java.util.Arrays;

/** The paper's section VI-E: a plain Bloom filter that is emptied when equation 1 reaches the target. */
final class RecyclableFilter implements Memory {

    private final int probes;
    private final double target;
    private final long seed;
    private final boolean[] positions;
    private int elements;

    RecyclableFilter(int positions, int probes, double target, long seed) {
        this.positions = new boolean[positions];
        this.probes = probes;
        this.target = target;
        this.seed = seed;
    }

    @Override
    public boolean isNew(long operation) {
        boolean known = true;
        long hash = Hash.of(seed, operation);
        for (int i = 0; i < probes; i++) {
            int position = Hash.position(hash, i, positions.length);
            known &= positions[position];
            positions[position] = true;
        }
        elements += known ? 0 : 1;
        return !known;
    }

    @Override
    public void secondGoneBy() {
        double fpp = Math.pow(-Math.expm1(-(double) probes * elements / positions.length), probes);
        if (fpp >= target) {
            Arrays.fill(positions, false);
            elements = 0;
        }
    }
}
