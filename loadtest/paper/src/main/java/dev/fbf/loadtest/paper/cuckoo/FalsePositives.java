package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.paper.Plot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Theorem 1: counted false positives, the model's, and those of candidates that follow from the fingerprint. */
final class FalsePositives {

    private static final int FINGERPRINT_BITS = 16;
    private static final Shape SHAPE = Shape.PAPER.withFingerprintBits(FINGERPRINT_BITS);
    private static final int STEPS = 6;
    private static final int MOST_FILTERS = 4;

    /** @param s the number of filters of the CCF of both kinds of resizing */
    private record Row(
            int elements,
            double dynamic,
            double dynamicModel,
            double buckets,
            double bucketsModel,
            double both,
            double bothModel,
            int s,
            double byFingerprint) {}

    private final List<Row> rows;
    private final PageFiles files;

    FalsePositives(int mostElements, int absent, PageFiles files) {
        this.files = files;
        rows = IntStream.rangeClosed(1, STEPS)
                .parallel()
                .mapToObj(step -> row(mostElements * step / STEPS, absent))
                .toList();
    }

    private static Row row(int elements, int absent) {
        int slots = SHAPE.slots();
        DynamicSet dynamic = filled(
                new DynamicCuckooFilter(DynamicCuckooComparison.BUCKETS, slots, FINGERPRINT_BITS, SHAPE.max(), 1),
                elements);
        DynamicSet buckets = filled(ConsistentCuckooFilter.byBuckets(SHAPE, 1), elements);
        DynamicSet both = filled(
                new ConsistentCuckooFilter(
                        SHAPE,
                        Resizing.BOTH,
                        DynamicCuckooComparison.BUCKETS,
                        MOST_FILTERS,
                        ConsistentCuckooFilter.MERGE_BELOW,
                        1),
                elements);
        return new Row(
                elements,
                counted(dynamic, absent),
                dynamic.modelledFpp(),
                counted(buckets, absent),
                buckets.modelledFpp(),
                counted(both, absent),
                both.modelledFpp(),
                both.filters(),
                ConsistentCuckooFilter.fppOfCandidatesByFingerprint(SHAPE, elements));
    }

    private static DynamicSet filled(DynamicSet set, int elements) {
        for (int i = 0; i < elements; i++) {
            set.insert(i);
        }
        return set;
    }

    /** The share of absent elements that are found. */
    static double counted(DynamicSet set, int absent) {
        int found = 0;
        for (long element = -absent; element < 0; element++) {
            found += set.contains(element) ? 1 : 0;
        }
        return (double) found / absent;
    }

    Section section() {
        Row last = rows.get(rows.size() - 1);
        List<Plot.Line> lines = List.of(
                line("DCF", Row::dynamic, false),
                line("CCF_B", Row::buckets, false),
                line("DCF's model", Row::dynamicModel, true),
                line("theorem 1 for CCF_B", Row::bucketsModel, true),
                line("n / 2^f", Row::byFingerprint, true));
        String body = Table.of(rows)
                        .number("elements", "%,d", Row::elements)
                        .number("DCF", "%.1e", Row::dynamic)
                        .number("its model", "%.1e", Row::dynamicModel)
                        .number("CCF_B", "%.1e", Row::buckets)
                        .number("theorem 1", "%.1e", Row::bucketsModel)
                        .number("CCF, both", "%.1e", Row::both)
                        .number("its s", "%d", Row::s)
                        .number("theorem 1", "%.1e", Row::bothModel)
                        .number("n / 2^f", "%.1e", Row::byFingerprint)
                        .markdown()
                + "\n"
                + files.plot(
                        "cuckoo-fpp",
                        new Plot(
                                "Theorem 1: false positives with f = " + FINGERPRINT_BITS,
                                "elements",
                                false,
                                "false positive probability",
                                lines),
                        TraceRuns.csv("elements", lines));
        return new Section(
                "Theorem 1: false positives",
                format("""
                f = %d, so that there is something to count; the other parameters as in figure 4. The candidates of a cuckoo filter follow from \
                the *element* and the fingerprint, those of an I2CF from the *fingerprint alone* (algorithms 1 and 2: h_1(η) to h_k(η)).""", FINGERPRINT_BITS),
                List.of(model(last), guarantee(last), same(last)),
                body);
    }

    private Plot.Line line(String name, Function<Row, Double> value, boolean dashed) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (Row row : rows) {
            if (value.apply(row) > 0) { // on a logarithmic axis zero has no place
                x.add((double) row.elements);
                y.add(value.apply(row));
            }
        }
        return new Plot.Line(name, x, y, dashed);
    }

    private static Judged model(Row last) {
        return new Judged(
                "Theorem 1",
                "the false positive rate of a CCF is about s·k·b / 2^f",
                format("%.1e with n = %,d, f = 16, s = 1", last.bucketsModel, last.elements),
                format("%.1e: %.0f times as much", last.buckets, last.buckets / last.bucketsModel),
                Judged.verdict(last.buckets < 2 * last.bucketsModel),
                format(
                        "An absent element with the fingerprint of a stored one has that one's candidates too, and is found. So any of the n stored "
                                + "fingerprints will do: n / 2^f = %.1e, whatever s, k and b are. It grows with the set: one with 1e-9 needs f = 50 for 600,000 "
                                + "elements, where a cuckoo filter needs 33.",
                        last.byFingerprint));
    }

    private static Judged guarantee(Row last) {
        return new Judged(
                "III-B",
                "a threshold for s bounds the false positive rate at run time",
                format("at most %.1e with s ≤ %d", last.bothModel, MOST_FILTERS),
                format("%.1e with s = %d", last.both, last.s),
                Judged.verdict(last.both < 2 * last.bothModel),
                "It is the number of elements that decides, and that is not bounded.");
    }

    private static Judged same(Row last) {
        return new Judged(
                "III-B",
                "DCF and CCF have the same false positive rate",
                "the same",
                format("DCF %.1e (its model %.1e), CCF_B %.1e", last.dynamic, last.dynamicModel, last.buckets),
                Judged.verdict(last.buckets < 2 * last.dynamic && last.dynamic < 2 * last.buckets),
                format(
                        "DCF keeps to its model, which grows with s. CCF_B has %.1f times as many.",
                        last.buckets / last.dynamic));
    }
}
