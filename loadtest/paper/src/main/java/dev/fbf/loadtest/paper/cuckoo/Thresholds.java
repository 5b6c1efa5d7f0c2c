package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Section IV: table II, figure 3 and theorem 5. */
final class Thresholds {

    private static final long BUCKETS = 1L << 30;
    private static final double[][] PAPER = {
        {0.796812130, 1.861790807, 2.905683863, 3.934728166},
        {0.940479791, 1.979049536, 2.992264312, 3.997079786},
        {0.980172599, 1.996604114, 2.999390447, 3.999888473},
        {0.993022846, 1.999453835, 2.999955482, 3.999996295},
        {0.997483538, 1.999913939, 2.999996938, 3.999999888},
        {0.999082240, 1.999986694, 2.999999798, 3.999999996}
    };
    private static final int FIRST_K = 2;
    private static final double SAME_DIGITS = 5e-8;
    /** What a table of so many buckets may fall short of the threshold of an infinite one. */
    private static final double OF_SIZE = 0.01;

    private record Row(int candidates, int slots, double paper, double computed, double reached) {

        double share() {
            return reached / computed;
        }
    }

    private final List<Row> rows = new ArrayList<>();
    private final int buckets;

    Thresholds(int buckets, int seeds) {
        this.buckets = buckets;
        for (int i = 0; i < PAPER.length; i++) {
            for (int slots = 1; slots <= PAPER[i].length; slots++) {
                int k = FIRST_K + i;
                int b = slots;
                double reached = LongStream.rangeClosed(1, seeds)
                        .parallel()
                        .mapToDouble(seed -> PerfectTable.ratioAtFirstRefusal(k, b, buckets, seed))
                        .average()
                        .orElseThrow();
                rows.add(new Row(k, b, PAPER[i][b - 1], Threshold.of(k, b, BUCKETS), reached));
            }
        }
    }

    Section section() {
        String body = Table.of(rows)
                        .number("k", "%d", Row::candidates)
                        .number("b", "%d", Row::slots)
                        .number("table II", "%.9f", Row::paper)
                        .number("computed", "%.9f", Row::computed)
                        .number("n/m at the first refusal", "%.4f", Row::reached)
                        .number("of the threshold", "%.1f %%", row -> 100 * row.share())
                        .markdown()
                + "\n" + figure3();
        return new Section(
                "Table II, figure 3 and theorem 5: how much fits in",
                format("""
                Theorem 4 computed for 2³⁰ buckets, and tables of %,d buckets with candidates at random (no ring, which only makes it \
                worse) into which elements were put along every possible path (maximum matching): the first that is refused has no place at all.""", buckets),
                List.of(numbers(), threshold(), figure3Claim(), example()),
                body);
    }

    private Judged numbers() {
        double off = rows.stream()
                .mapToDouble(row -> Math.abs(row.paper - row.computed))
                .max()
                .orElseThrow();
        return new Judged(
                "Table II",
                "the thresholds by theorem 4",
                "24 numbers",
                format("largest difference %.1e", off),
                Judged.verdict(off < SAME_DIGITS),
                "The numbers follow from equations 4 to 9.");
    }

    private Judged threshold() {
        Row worst = rows.stream()
                .min((one, other) -> Double.compare(one.share(), other.share()))
                .orElseThrow();
        long reached = rows.stream().filter(row -> row.share() > 1 - OF_SIZE).count();
        return new Judged(
                "Theorem 4",
                "below the threshold all elements are stored with high probability",
                "k = 2, b = 1: 0.797",
                format(
                        "k = %d, b = %d: first refused at %.3f; %d of %d within 1 %%",
                        worst.candidates, worst.slots, worst.reached, reached, rows.size()),
                Judged.verdict(reached == rows.size(), reached > 0),
                "Equation 7 counts the slots that no element is mapped to. That is one of the ways to violate Hall's theorem: T is an upper bound, "
                        + "close for large k and b and far off for small ones. For k = 2 and b = 1 the threshold is known to be 0.5.");
    }

    private static Judged figure3Claim() {
        double two = Threshold.of(2, 2, 50);
        double four = Threshold.of(4, 2, 50);
        double slots = Threshold.of(2, 4, 50);
        return new Judged(
                "Figure 3",
                "with m = 50 the threshold grows with k, and with b",
                "\"significantly\"; no number",
                format(
                        "k = 2, 3, 4 at b = 2: %.3f, %.3f, %.3f; k = 2 at b = 4: %.3f",
                        two, Threshold.of(3, 2, 50), four, slots),
                Judged.verdict(four > two && slots > two),
                "By equations 4 to 9.");
    }

    private static String figure3() {
        return "Figure 3, m = 50:\n\n"
                + Table.of(List.of(2, 3, 4, 5))
                        .number("k", "%d", k -> k)
                        .number("b = 1", "%.4f", k -> Threshold.of(k, 1, 50))
                        .number("b = 2", "%.4f", k -> Threshold.of(k, 2, 50))
                        .number("b = 3", "%.4f", k -> Threshold.of(k, 3, 50))
                        .number("b = 4", "%.4f", k -> Threshold.of(k, 4, 50))
                        .markdown();
    }

    private static Judged example() {
        double bound = Occupancy.bound(3, 2, 2, 5);
        int tables = 200_000;
        double counted = Occupancy.counted(3, 2, 2, 5, tables);
        double at4 = Occupancy.bound(8, 2, 2, 5);
        double counted4 = Occupancy.counted(8, 2, 2, 5, tables);
        return new Judged(
                "Theorem 5",
                "all of 3 elements are stored, m = 5, b = 2, k = 2",
                "at most 0.99968",
                format("bound %.5f, counted %.5f", bound, counted),
                Judged.verdict(Math.abs(bound - 0.99968) < 5e-6, counted <= bound + 2e-4),
                format(
                        "The example holds, and as printed the sum does not: its upper limit must be the smaller of n·k and m, its lower one n/b "
                                + "rounded up, and equation 11 needs n·k for n. The bound is loose where it matters: for 8 elements it is %.3f, counted %.3f.",
                        at4, counted4));
    }
}
