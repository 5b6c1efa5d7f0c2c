package dev.fbf.loadtest.bench.guard;

import java.util.random.RandomGenerator;

/** Operations on the first counters, all alike, without retries. */
record UniformLoad(int clients, int rows) implements Crowd.Load {

    @Override
    public int clients(int all) {
        return Math.min(all, clients);
    }

    @Override
    public int counter(RandomGenerator random) {
        return random.nextInt(rows);
    }

    @Override
    public double retries() {
        return 0;
    }
}
