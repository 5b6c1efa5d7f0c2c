package dev.fbf.loadtest.bench.guard;

import java.util.Arrays;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * Which counters are added to, by how many clients, and how much of the traffic is retries. The single client comes last: before
 * it has sent enough for the JVM to compile what it runs, others have.
 */
enum Workload implements Crowd.Load {
    HOT(1, 0),
    HOT_RETRIES(1, 0.05),
    HOT_STORM(1, 0.9),
    ROWS(1_000, 0),
    ROWS_RETRIES(1_000, 0.05),
    ROWS_STORM(1_000, 0.9),
    ZIPF(Workload.MOST_COUNTERS, 0),
    ZIPF_RETRIES(Workload.MOST_COUNTERS, 0.05),
    ZIPF_STORM(Workload.MOST_COUNTERS, 0.9),
    IDLE(1, 0, 1);

    /** As many as the largest needs; of those, some come much more often than others. */
    static final int MOST_COUNTERS = 100_000;

    /** Zipf's distribution: the probability of each counter and all before it, with the exponent of the Yahoo! benchmark. */
    private static final double[] CUMULATIVE = new double[MOST_COUNTERS];

    static {
        double sum = 0;
        for (int i = 0; i < MOST_COUNTERS; i++) {
            sum += Math.pow(i + 1.0, -0.99);
            CUMULATIVE[i] = sum;
        }
    }

    private final int counters;
    private final double retries;
    private final int mostClients;

    Workload(int counters, double retries) {
        this(counters, retries, Integer.MAX_VALUE);
    }

    Workload(int counters, double retries, int mostClients) {
        this.counters = counters;
        this.retries = retries;
        this.mostClients = mostClients;
    }

    String description() {
        String rows = counters == 1
                ? "one row"
                : String.format(Locale.ROOT, "%,d rows%s", counters, counters == MOST_COUNTERS ? ", Zipf" : "");
        return mostClients == 1 ? rows + ", a single client" : rows;
    }

    @Override
    public int clients(int all) {
        return Math.min(all, mostClients);
    }

    @Override
    public int counter(RandomGenerator random) {
        return switch (this) {
            case ZIPF, ZIPF_RETRIES, ZIPF_STORM -> zipfian(random);
            default -> random.nextInt(counters);
        };
    }

    private static int zipfian(RandomGenerator random) {
        int found = Arrays.binarySearch(CUMULATIVE, random.nextDouble() * CUMULATIVE[MOST_COUNTERS - 1]);
        return Math.min(MOST_COUNTERS - 1, found < 0 ? -found - 1 : found);
    }

    @Override
    public double retries() {
        return retries;
    }
}
