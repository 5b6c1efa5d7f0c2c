package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Theorem 2: times of query, deletion with insertion, and growth, in turns and as ratios. */
final class Times {

    private static final Shape SHAPE = Shape.PAPER;
    private static final double LOAD = 0.8;
    private static final int QUERIES = 200_000;
    private static final int CHANGES = 20_000;

    /** In nanoseconds. */
    private record Time(double query, double change, double growth) {}

    private record Row(String name, Time time, Time base) {}

    private final int rounds;
    private final int elements;
    private long sum;

    /** @param elements how many are stored when DCF and CCF are compared */
    Times(int rounds, int elements) {
        this.rounds = rounds;
        this.elements = elements;
    }

    Section section() {
        List<Row> bySize = new ArrayList<>();
        for (int bits : new int[] {8, 12, 16}) {
            bySize.addAll(bySize(1 << bits));
        }
        Map<String, Supplier<DynamicSet>> dynamic = new LinkedHashMap<>();
        dynamic.put(DynamicCuckooComparison.DCF, () -> DynamicCuckooComparison.dynamic(1));
        dynamic.put(DynamicCuckooComparison.CCF_B, () -> ConsistentCuckooFilter.byBuckets(SHAPE, 1));
        dynamic.put(
                DynamicCuckooComparison.CCF_F,
                () -> ConsistentCuckooFilter.byFilters(SHAPE, DynamicCuckooComparison.BUCKETS, 1));
        List<Row> resized = rows(measure(dynamic, elements), "");
        if (sum == 0) { // its use keeps the compiler from omitting what is measured
            throw new IllegalStateException("nothing was replaced");
        }
        return new Section(
                "Theorem 2: times",
                format("""
                In one run, one thread, %d rounds in turns; ratios of medians. Queries are of absent elements; *delete + insert* \
                replaces elements at a load of 0.8 (of figure 4's filters: at their own load); growth is from empty to %,d elements with all resizing.""", rounds, elements),
                List.of(logarithm(bySize), littleHigher(resized)),
                table(bySize, "of CF's").markdown() + "\n"
                        + table(resized, "of DCF's")
                                .number("growth, of DCF's", "%.1f", row -> row.time.growth / row.base.growth)
                                .markdown()
                        + "\nElements and filters are on the heap and fit in a cache where they are small; the ring is a sorted array.\n");
    }

    private List<Row> bySize(int buckets) {
        int stored = (int) (LOAD * buckets * SHAPE.slots());
        Map<String, Supplier<DynamicSet>> contenders = new LinkedHashMap<>();
        contenders.put("CF", () -> new CuckooFilter(buckets, SHAPE.slots(), SHAPE.fingerprintBits(), SHAPE.max(), 1));
        for (int v : new int[] {1, 10}) {
            contenders.put(
                    "I2CF, v = " + v,
                    () -> new ConsistentCuckooFilter(
                            SHAPE.withVirtualNodes(v), Resizing.BUCKETS, v == 1 ? 2 * buckets : buckets, 1, 0, 1));
        }
        return rows(measure(contenders, stored), "m = " + format("%,d", buckets) + ", ");
    }

    private static List<Row> rows(Map<String, Time> times, String prefix) {
        Time base = times.values().iterator().next();
        List<Row> rows = new ArrayList<>();
        times.forEach((name, time) -> rows.add(new Row(prefix + name, time, base)));
        return rows;
    }

    private static Table<Row> table(List<Row> rows, String base) {
        return Table.of(rows)
                .text("", Row::name)
                .number("query, ns", "%.0f", row -> row.time.query)
                .number(base, "%.1f", row -> row.time.query / row.base.query)
                .number("delete + insert, ns", "%.0f", row -> row.time.change)
                .number(base, "%.1f", row -> row.time.change / row.base.change);
    }

    private record Contender(String name, Supplier<DynamicSet> maker, List<Time> times) {

        Time median() {
            return new Time(
                    Rounds.median(times.stream().map(Time::query).toList()),
                    Rounds.median(times.stream().map(Time::change).toList()),
                    Rounds.median(times.stream().map(Time::growth).toList()));
        }
    }

    private Map<String, Time> measure(Map<String, Supplier<DynamicSet>> makers, int stored) {
        List<Contender> contenders = new ArrayList<>();
        makers.forEach((name, maker) -> contenders.add(new Contender(name, maker, new ArrayList<>())));
        int number = 0;
        for (Contender contender : Rounds.of(2 * rounds, contenders)) {
            Time time = turn(contender.maker.get(), stored);
            if (number++ >= rounds * contenders.size()) { // the first half warms up
                contender.times.add(time);
            }
        }
        Map<String, Time> medians = new LinkedHashMap<>();
        contenders.forEach(contender -> medians.put(contender.name, contender.median()));
        return medians;
    }

    private Time turn(DynamicSet set, int stored) {
        long begin = System.nanoTime();
        for (int i = 0; i < stored; i++) {
            set.insert(i);
        }
        long grown = System.nanoTime();
        for (int i = 0; i < QUERIES; i++) {
            sum += set.contains(-1 - i) ? 1 : 0;
        }
        long queried = System.nanoTime();
        int changes = Math.min(CHANGES, stored);
        for (int i = 0; i < changes; i++) {
            sum += set.delete(i) && set.insert(stored + i) ? 1 : 0;
        }
        long changed = System.nanoTime();
        return new Time((double) (queried - grown) / QUERIES, (double) (changed - queried) / changes, grown - begin);
    }

    private static Judged logarithm(List<Row> rows) {
        double[] ratios = IntStream.of(2, 5, 8)
                .mapToDouble(i -> rows.get(i).time.query / rows.get(i).base.query)
                .toArray();
        double growth = ratios[2] / ratios[0];
        return new Judged(
                "Theorem 2",
                "a query costs log m times as much as in a cuckoo filter",
                "a factor log m",
                format(
                        "%.1f, %.1f and %.1f times CF's with m = 2⁸, 2¹² and 2¹⁶ (v = 10)",
                        ratios[0], ratios[1], ratios[2]),
                Judged.verdict(growth > 1, growth <= 2),
                format(
                        "From 2⁸ to 2¹⁶ the logarithm doubles, and the factor becomes %.1f times as large: it is the logarithm of m·v, and a step of the "
                                + "search takes longer once the ring has left the caches.",
                        growth));
    }

    private static Judged littleHigher(List<Row> rows) {
        Time dcf = rows.get(0).time;
        Time b = rows.get(1).time;
        Time f = rows.get(2).time;
        double worstGrowth = Math.max(b.growth, f.growth) / dcf.growth;
        double worstQuery = Math.max(b.query, f.query) / dcf.query;
        return new Judged(
                "V, VI",
                "CCF costs \"a little higher\" time than DCF",
                "no number",
                format(
                        "query: CCF_B %.1f, CCF_F %.1f times DCF's; growth %.1f and %.1f; delete + insert %.1f and %.1f",
                        b.query / dcf.query,
                        f.query / dcf.query,
                        b.growth / dcf.growth,
                        f.growth / dcf.growth,
                        b.change / dcf.change,
                        f.change / dcf.change),
                Judged.verdict(worstQuery < 2, worstGrowth < 2),
                "A query of CCF_B asks one filter where DCF asks dozens. Growth by single buckets fails an insertion with all of its reallocations "
                        + "before each new bucket; each merge that is tried in vain costs as much.");
    }
}
