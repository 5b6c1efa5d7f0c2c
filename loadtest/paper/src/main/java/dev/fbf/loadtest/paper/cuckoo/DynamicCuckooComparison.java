package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.paper.Claim;
import dev.fbf.loadtest.paper.Claim.Verdict;
import dev.fbf.loadtest.paper.Page;
import dev.fbf.loadtest.paper.Plot;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/** Section V-A, figures 4 a to d: DCF, CCF_B and CCF_F under the trace. */
final class DynamicCuckooComparison {

    static final String DCF = "DCF";
    static final String CCF_B = "CCF_B";
    static final String CCF_F = "CCF_F";
    static final String BOTH = "CCF, both";
    static final List<String> PAPERS = List.of(DCF, CCF_B, CCF_F);

    /** m_i of section V-A. */
    static final int BUCKETS = 64;

    private static final int MOST_FILTERS = 4;
    private static final Shape SHAPE = Shape.PAPER;

    private final TraceRuns runs;

    DynamicCuckooComparison(TraceRuns runs) {
        this.runs = runs;
    }

    static List<TraceRuns.Kind> kinds() {
        int slots = SHAPE.slots();
        return List.of(
                new TraceRuns.Kind(DCF, slots, DynamicCuckooComparison::dynamic),
                new TraceRuns.Kind(CCF_B, slots, seed -> ConsistentCuckooFilter.byBuckets(SHAPE, seed)),
                new TraceRuns.Kind(CCF_F, slots, seed -> ConsistentCuckooFilter.byFilters(SHAPE, BUCKETS, seed)),
                new TraceRuns.Kind(
                        BOTH,
                        slots,
                        seed -> new ConsistentCuckooFilter(
                                SHAPE,
                                Resizing.BOTH,
                                BUCKETS,
                                MOST_FILTERS,
                                ConsistentCuckooFilter.MERGE_BELOW,
                                seed)));
    }

    static DynamicCuckooFilter dynamic(long seed) {
        return new DynamicCuckooFilter(BUCKETS, SHAPE.slots(), SHAPE.fingerprintBits(), SHAPE.max(), seed);
    }

    /** Writes plots and data; returns the block of the page. */
    String block(Page page) throws IOException {
        return CuckooReproduction.verdicts(claims()) + "\n" + table()
                + "\n"
                + plot(page, "4a", "the fewest buckets that are enough", "m_opt", true, TraceRun::optimal)
                + "\n"
                + plot(page, "4b", "number of buckets", "buckets", false, TraceRun::buckets)
                + "\n"
                + plot(page, "4c", "space utilization", "utilization", false, TraceRun::utilization)
                + "\n"
                + plot(page, "4d", "empty slots", "slots", false, TraceRun::emptySlots)
                + "\n" + ring();
    }

    List<Claim> claims() {
        return List.of(elasticity(), utilization(), average(), emptySlots(), noFalseNegative());
    }

    private String table() {
        return Table.of(List.of(DCF, CCF_B, CCF_F, BOTH))
                .text("", kind -> kind)
                .number("buckets, mean", "%,.0f", kind -> of(kind).buckets().mean())
                .number("over m_opt", "%+.1f %%", kind -> 100 * of(kind).excess())
                .number(
                        "utilization, mean",
                        "%.4f",
                        kind -> of(kind).utilization().mean())
                .number("highest", "%.3f", kind -> of(kind).utilization().most())
                .number("at the most flows", "%.3f", kind -> of(kind).utilizationAtPeak())
                .number(
                        "below 0.90",
                        "%.0f %%",
                        kind -> 100 * of(kind).utilization().below(0.9))
                .number(
                        "under 500 empty",
                        "%.0f %%",
                        kind -> 100 * of(kind).emptySlots().below(500))
                .number(
                        "over 1,000 empty",
                        "%.0f %%",
                        kind -> 100 * of(kind).emptySlots().above(1_000))
                .number(
                        "most empty slots",
                        "%,.0f",
                        kind -> of(kind).emptySlots().most())
                .number("most filters", "%.0f", kind -> of(kind).mostFilters())
                .number("bits a stored element, slots alone", "%.1f", this::slotBits)
                .number("with the ring", "%.1f", kind -> slotBits(kind) + ringBits(kind))
                .markdown();
    }

    private TraceRun of(String kind) {
        return runs.of(kind);
    }

    /** As a mean over the elements, not over the samples. */
    private double slotBits(String kind) {
        return SHAPE.fingerprintBits() * SHAPE.slots() * bucketsOfElement(kind);
    }

    private double ringBits(String kind) {
        return kind.equals(DCF) ? 0 : SHAPE.ringBits((int) of(kind).buckets().mean()) * bucketsOfElement(kind);
    }

    private double bucketsOfElement(String kind) {
        double buckets = of(kind).buckets().mean();
        return buckets / (buckets * SHAPE.slots() - of(kind).emptySlots().mean());
    }

    private String plot(
            Page page, String number, String title, String x, boolean alone, Function<TraceRun, Distribution> values)
            throws IOException {
        List<Plot.Line> lines = (alone ? List.of(CCF_B) : PAPERS)
                .stream()
                        .map(kind -> values.apply(of(kind)).line(alone ? "m_opt" : kind, alone))
                        .toList();
        return page.plot(
                "cuckoo-figure-" + number,
                new Plot("Figure " + number + ": " + title, x, false, "share of the samples", false, lines),
                TraceRuns.csv(x, lines));
    }

    private Claim elasticity() {
        double b = of(CCF_B).buckets().distance(of(CCF_B).optimal());
        double f = of(CCF_F).buckets().distance(of(CCF_F).optimal());
        double dcf = of(DCF).buckets().distance(of(DCF).optimal());
        boolean better = of(CCF_B).excess() < of(DCF).excess() && of(CCF_F).excess() < of(DCF).excess();
        boolean best = of(CCF_B).excess() < of(CCF_F).excess();
        return new Claim(
                "4a, 4b",
                "CCF_B follows m_opt best, CCF_F next, both better than DCF",
                "CCF_B \"perfectly\"",
                format(
                        "buckets over m_opt: CCF_B %+.1f %%, CCF_F %+.1f %%, DCF %+.1f %%",
                        100 * of(CCF_B).excess(), 100 * of(CCF_F).excess(), 100 * of(DCF).excess()),
                Verdict.of(better, best),
                format(
                        "%s, and neither follows it perfectly: the largest distances of the distributions of 4b from that of 4a are %.3f (CCF_B), "
                                + "%.3f (CCF_F) and %.3f (DCF). %s",
                        better
                                ? "Both follow the optimum more closely than DCF"
                                : "Not both follow the optimum more closely than DCF",
                        b,
                        f,
                        dcf,
                        best ? "CCF_B is the closest." : "CCF_F is closer than CCF_B."));
    }

    private Claim utilization() {
        double dcf = of(DCF).utilization().below(0.9);
        double b = of(CCF_B).utilization().below(0.9);
        double f = of(CCF_F).utilization().below(0.9);
        return new Claim(
                "4c",
                "share of samples with a utilization below 0.90",
                "DCF 37 %, CCF_B and CCF_F under 10 %",
                format("DCF %.0f %%, CCF_B %.0f %%, CCF_F %.0f %%", 100 * dcf, 100 * b, 100 * f),
                Verdict.of(b < 0.1 && f < 0.1, dcf > 0.25),
                format(
                        "The highest utilizations are %.3f, %.3f and %.3f (the paper: 0.970, 1.0, 0.999).",
                        of(DCF).utilization().most(),
                        of(CCF_B).utilization().most(),
                        of(CCF_F).utilization().most()));
    }

    private Claim average() {
        double dcf = of(DCF).utilization().mean();
        double b = of(CCF_B).utilization().mean();
        double f = of(CCF_F).utilization().mean();
        boolean close = Math.abs(dcf - 0.8809) < 0.02 && Math.abs(b - 0.9481) < 0.02 && Math.abs(f - 0.9425) < 0.02;
        return new Claim(
                "4c",
                "average utilization of DCF, CCF_B and CCF_F",
                "0.8809, 0.9481, 0.9425",
                format("%.4f, %.4f, %.4f", dcf, b, f),
                Verdict.of(b > dcf && f > dcf, close),
                "On another trace, and within 0.02 of the paper's averages" + (close ? "." : " only in part.")
                        + (b > f ? "" : " CCF_F is the better of the two here."));
    }

    private Claim emptySlots() {
        double dcf = of(DCF).emptySlots().below(500);
        double b = of(CCF_B).emptySlots().below(500);
        double f = of(CCF_F).emptySlots().below(500);
        double over = of(DCF).emptySlots().above(1_000);
        double bMean = of(CCF_B).emptySlots().mean();
        double fMean = of(CCF_F).emptySlots().mean();
        return new Claim(
                "4d",
                "share of samples with under 500 empty slots; DCF over 1,000; CCF_B has more than CCF_F",
                "CCF_B 93 %, CCF_F 97 %, DCF 62 %; 16 %",
                format("CCF_B %.0f %%, CCF_F %.0f %%, DCF %.0f %%; %.0f %%", 100 * b, 100 * f, 100 * dcf, 100 * over),
                Verdict.of(b > 0.9 && f > 0.9 && dcf < 0.8, bMean > fMean),
                format(
                        "%s DCF has at most %,.0f empty slots, not 3,176. On average CCF_B has %,.0f and CCF_F %,.0f.",
                        f >= b && b > dcf ? "The order is the paper's." : "The order is not the paper's.",
                        of(DCF).emptySlots().most(),
                        bMean,
                        fMean));
    }

    private Claim noFalseNegative() {
        int lost = runs.lost();
        return new Claim(
                "III-C",
                "no false negative for stored elements",
                "none",
                format("%d of all flows lost", lost),
                Verdict.of(lost == 0),
                "Each flow was looked for when it began and before it was deleted, in all runs of figure 4.");
    }

    private String ring() {
        return format("""
                The paper counts slots. A bucket of CCF also has v = 10 points on the ring, each a position of 36 bits and the number of a bucket: \
                %.0f bits an element beside %.0f of its fingerprint's slot. With the ring, CCF_B takes %.1f times the memory of DCF.
                """, ringBits(CCF_B), slotBits(CCF_B), (ringBits(CCF_B) + slotBits(CCF_B)) / slotBits(DCF));
    }

    /** Table I: the marks of the capacity elasticity and the space efficiency of DCF, I2CF and CCF. */
    List<Claim> features() {
        double dcf = of(DCF).excess();
        double i2cf = of(CCF_B).excess();
        double ccf = Math.min(of(CCF_F).excess(), of(BOTH).excess());
        Claim elasticity = new Claim(
                "Table I",
                "capacity elasticity: CCF +++, I2CF ++, DCF ++",
                "CCF > I2CF = DCF",
                format(
                        "buckets over m_opt: CCF (better of filters and both) %+.1f %%, I2CF (CCF_B) %+.1f %%, DCF %+.1f %%",
                        100 * ccf, 100 * i2cf, 100 * dcf),
                Verdict.of(ccf < i2cf, dcf < 1.25 * i2cf),
                "CCF adapts best of the three. I2CF and DCF have the same mark, and "
                        + (i2cf - ccf < dcf - i2cf
                                ? "I2CF is nearer to CCF than to DCF."
                                : "I2CF is nearer to DCF than to CCF."));
        double withRing = slotBits(CCF_B) + ringBits(CCF_B);
        Claim efficiency = new Claim(
                "Table I",
                "space efficiency: I2CF and CCF +++, DCF ++",
                "I2CF, CCF > DCF",
                format(
                        "bits an element: I2CF %.1f in slots, %.1f with the ring; DCF %.1f",
                        slotBits(CCF_B), withRing, slotBits(DCF)),
                Verdict.of(slotBits(CCF_B) < slotBits(DCF), withRing < slotBits(DCF)),
                "It is right of the slots and wrong of the memory: the ring that makes I2CF elastic is several times as large as its slots.");
        Claim flexibility = new Claim(
                "Table I",
                "design flexibility: I2CF and CCF +++, DCF and CF +",
                "any k, b and m",
                "k from 2 to 16, b from 3 to 6, any m: figure 5",
                Verdict.HOLDS,
                "k, b and m are free; but k and b do not change the false positives, which theorem 1 says they do.");
        return List.of(elasticity, efficiency, flexibility);
    }
}
