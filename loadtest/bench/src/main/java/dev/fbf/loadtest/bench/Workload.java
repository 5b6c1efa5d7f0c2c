package dev.fbf.loadtest.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which counters are added to, by how many clients, and how much of the traffic is retries.
 *
 * @param clients 0 if all that there are take part
 * @param retries share of the requests that repeat one which was answered before
 */
public record Workload(String name, int clients, int counters, double retries) {

    /** As many as the largest needs; of those, some come much more often than others. */
    private static final int ZIPF = 100_000;

    private static final Pattern COUNTS = Pattern.compile("(\\d+)x(\\d+)");

    /** Zipf's distribution: the probability of each counter and all before it, with the exponent of the Yahoo! benchmark. */
    private static final double[] CUMULATIVE = new double[ZIPF];

    static {
        double sum = 0;
        for (int i = 0; i < ZIPF; i++) {
            sum += Math.pow(i + 1.0, -0.99);
            CUMULATIVE[i] = sum;
        }
    }

    /**
     * Finds a workload.
     *
     * @param name {@code HOT}, {@code ROWS} or {@code ZIPF}, with {@code _RETRIES} or {@code _STORM} if 5 % or 90 % are retries; {@code
     *     IDLE}; or clients and counters, as in {@code 64x1000}
     */
    public static Workload of(String name) {
        Matcher counts = COUNTS.matcher(name);
        if (counts.matches()) {
            return new Workload(name, Integer.parseInt(counts.group(1)), Integer.parseInt(counts.group(2)), 0);
        }
        double retries = name.endsWith("_RETRIES") ? 0.05 : name.endsWith("_STORM") ? 0.9 : 0;
        return switch (name.replaceFirst("_(RETRIES|STORM)$", "")) {
            case "HOT" -> new Workload(name, 0, 1, retries);
            case "ROWS" -> new Workload(name, 0, 1_000, retries);
            case "ZIPF" -> new Workload(name, 0, ZIPF, retries);
            case "IDLE" -> new Workload(name, 1, 1, retries);
            default -> throw new IllegalArgumentException("There is no workload " + name);
        };
    }

    public String description() {
        String rows = counters == 1 ? "one row" : String.format(Locale.ROOT, "%,d rows", counters);
        return rows + (isZipfian() ? ", Zipf" : "") + (clients == 1 ? ", a single client" : "");
    }

    private boolean isZipfian() {
        return name.startsWith("ZIPF");
    }

    /** The counter of the next operation. */
    int counter(RandomGenerator random) {
        if (!isZipfian()) {
            return random.nextInt(counters);
        }
        int found = Arrays.binarySearch(CUMULATIVE, random.nextDouble() * CUMULATIVE[ZIPF - 1]);
        return Math.min(ZIPF - 1, found < 0 ? -found - 1 : found);
    }
}
