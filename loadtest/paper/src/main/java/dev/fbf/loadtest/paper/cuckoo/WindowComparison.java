package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.paper.Claim.Verdict;
import dev.fbf.loadtest.paper.Plot;
import dev.fbf.loadtest.paper.cuckoo.WindowCost.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a CCF costs as a window over operations, beside the forgetful filter. */
final class WindowComparison {

    private static final int FIRST_CCF = 4;
    private static final int FIRST_CUCKOO = 2;
    private static final Place DEFAULT = WindowCost.PLACES.get(1);

    private final WindowCost costs;
    private final List<WindowTimes.Row> times;
    private final PageFiles files;

    WindowComparison(WindowCost costs, List<WindowTimes.Row> times, PageFiles files) {
        this.costs = costs;
        this.times = times;
        this.files = files;
    }

    Section section() {
        StringBuilder body = new StringBuilder();
        for (Place place : WindowCost.PLACES) {
            for (double fpp : WindowCost.PROBABILITIES) {
                body.append(format(
                                "%s, %s (%,d operations in the window):%n%n",
                                place.name(), power(fpp), place.operations()))
                        .append(table(costs.rows(place, fpp)))
                        .append('\n');
            }
        }
        body.append(plot()).append('\n').append(timesTable()).append('\n').append(findings());
        return new Section("The question here: a window over operations", """
                Bits for each operation of the window. *Filter alone* cannot forget: something has to know what to delete when. *Ids* are 128 bits \
                each, in the order of expiry. *Fingerprints* are what a deletion needs: f bits for a CCF, f bits and a bucket for a cuckoo filter; packed, \
                in the order of expiry. *Rescan* keeps the period in each entry (8 tags, 3 bits) and reads all entries once a period, which makes \
                entries stay up to a sixth longer; it is built for the cuckoo filter, and only counted for the CCF. The forgetful filter forgets by itself: its bits are all there is. A CCF gets as many \
                fingerprint bits as its real false positives need (log2 of n over the probability, see theorem 1), a cuckoo filter those of its model, b = 4.""", claims(), body.toString());
    }

    private List<Judged> claims() {
        return times.isEmpty() ? List.of(memory(), plain()) : List.of(memory(), plain(), time());
    }

    private static String table(List<WindowCost.Row> rows) {
        return Table.of(rows)
                .text("", WindowCost.Row::name)
                .number("filter alone", "%.1f", WindowCost.Row::filter)
                .number("with ids", "%.1f", WindowCost.Row::ids)
                .number("with fingerprints", "%.1f", WindowCost.Row::packed)
                .number("with rescan", "%.1f", WindowCost.Row::tags)
                .markdown();
    }

    private static String power(double fpp) {
        return String.format(Locale.ROOT, "%.0e", fpp).replace("e-0", "e-");
    }

    private String plot() {
        List<Plot.Line> lines = new ArrayList<>();
        for (int i = 0; i < costs.rows(DEFAULT, 1e-6).size(); i++) {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            String name = costs.rows(DEFAULT, 1e-6).get(i).name().replaceAll(":.*", "");
            for (int exponent = 3; exponent <= 9; exponent++) {
                x.add((double) exponent);
                y.add(costs.rows(DEFAULT, Math.pow(10, -exponent)).get(i).least());
            }
            lines.add(new Plot.Line(name, x, y, i < FIRST_CUCKOO));
        }
        return files.plot(
                "cuckoo-window",
                new Plot(
                        "A window of 600,000 operations: the cheapest way to expire",
                        "false positive probability, 10^-x",
                        false,
                        "bits an operation",
                        true,
                        lines),
                TraceRuns.csv("exponent", lines).replace(",share", ",bits"));
    }

    private String timesTable() {
        if (times.isEmpty()) {
            return "Times were not measured in this run.\n";
        }
        return "Times, of one thread, in turns on the same operations: check, put and expiry of a new operation, and the check of an absent one alone; "
                + "medians of turns. The processor time of the thread that refreshes the forgetful filter comes on top; the cuckoo filters "
                + "expire in the turn itself. The CCF has a tenth more room here than its bits above allow, which spares it reallocations.\n\n"
                + Table.of(times)
                        .text("", WindowTimes.Row::name)
                        .text("probability", row -> power(row.fpp()))
                        .number("new operation, ns", "%.0f", WindowTimes.Row::nanos)
                        .number("of the forgetful filter's", "%.2f", this::ratio)
                        .number("in the background, ns", "%.0f", WindowTimes.Row::background)
                        .number("both, of the forgetful filter's", "%.2f", this::ratioOfBoth)
                        .number("check, ns", "%.0f", WindowTimes.Row::check)
                        .number(
                                "of the forgetful filter's",
                                "%.2f",
                                row -> row.check() / forgetful(row).check())
                        .number("refused as false positives", "%d", WindowTimes.Row::refused)
                        .number("of", "%,d", WindowTimes.Row::operations)
                        .number("forgotten early", "%d", WindowTimes.Row::forgotten)
                        .markdown();
    }

    /** In the caller's own time. */
    private double ratio(WindowTimes.Row row) {
        return row.nanos() / forgetful(row).nanos();
    }

    private double ratioOfBoth(WindowTimes.Row row) {
        WindowTimes.Row forgetful = forgetful(row);
        return (row.nanos() + row.background()) / (forgetful.nanos() + forgetful.background());
    }

    private WindowTimes.Row forgetful(WindowTimes.Row of) {
        return times.stream()
                .filter(row -> row.fpp() == of.fpp() && row.name().equals(WindowTimes.FORGETFUL))
                .findFirst()
                .orElseThrow();
    }

    int forgotten() {
        return times.stream().mapToInt(WindowTimes.Row::forgotten).sum();
    }

    /** All rows, by place and probability. */
    Map<String, Object> json() {
        Map<String, Object> bits = new LinkedHashMap<>();
        for (Place place : WindowCost.PLACES) {
            for (double fpp : WindowCost.PROBABILITIES) {
                bits.put(place.name() + ", " + power(fpp), costs.rows(place, fpp));
            }
        }
        return Map.of("bits", bits, "times", times);
    }

    /** The least bits of some rows, and those of the forgetful filter that users get. */
    private record Least(Place place, double fpp, double forgetful, double fixed, double cuckoo) {

        boolean wins() {
            return cuckoo < forgetful;
        }

        @Override
        public String toString() {
            return format("%.0f against %.0f bits at %s", cuckoo, forgetful, power(fpp));
        }
    }

    private List<Least> leasts(int from, int to) {
        List<Least> leasts = new ArrayList<>();
        for (Place place : WindowCost.PLACES) {
            for (double fpp : WindowCost.PROBABILITIES) {
                List<WindowCost.Row> rows = costs.rows(place, fpp);
                double least = rows.subList(from, to).stream()
                        .mapToDouble(WindowCost.Row::least)
                        .min()
                        .orElseThrow();
                leasts.add(
                        new Least(place, fpp, rows.get(0).filter(), rows.get(1).filter(), least));
            }
        }
        return leasts;
    }

    private List<Least> ofDefault(List<Least> leasts) {
        return leasts.stream().filter(least -> least.place.equals(DEFAULT)).toList();
    }

    private static String of(List<Least> leasts) {
        return String.join("; ", leasts.stream().map(Least::toString).toList());
    }

    /** Where it wins, for a sentence. */
    private static String where(List<Least> leasts) {
        List<String> cells = leasts.stream()
                .filter(Least::wins)
                .map(least -> format("%s at %s", least.place.name(), power(least.fpp)))
                .toList();
        return cells.isEmpty() ? "" : " (" + String.join("; ", cells) + ")";
    }

    private static Verdict verdict(List<Least> leasts) {
        return Judged.verdict(
                leasts.stream().allMatch(Least::wins), leasts.stream().anyMatch(Least::wins));
    }

    /** The answer in some sentences, for the top of the page. */
    String answer() {
        List<Least> papers = ofDefault(leasts(FIRST_CCF, FIRST_CCF + 1));
        List<Least> best = leasts(FIRST_CCF, FIRST_CCF + 3);
        List<Least> fits = leasts(FIRST_CUCKOO + 1, FIRST_CUCKOO + 2);
        List<Least> powers = leasts(FIRST_CUCKOO, FIRST_CUCKOO + 1);
        return format(
                """
                **The answer in short.** In the default window a CCF with the paper's parameters takes %s times the bits of the forgetful filter at 1e-3, \
                1e-6 and 1e-9, what is kept for deletion included in the cheapest way; the cheapest CCF that we found takes %s times. %s \
                A plain *cuckoo filter* that keeps a period of 3 bits in each entry is smaller than the forgetful filter: %s times its bits where a power \
                of two fits the window, %s times as powers of two come in the default window. In one thread, on the heap, it also takes less time for a new operation. It pays with locks or versions for readers, a log for crashes, \
                and refusals when it is full.
                """,
                ratios(papers),
                ratios(ofDefault(best)),
                wins(best),
                ratios(ofDefault(fits)),
                ratios(ofDefault(powers)));
    }

    private static String ratios(List<Least> leasts) {
        return String.join(
                ", ",
                leasts.stream()
                        .map(least -> format("%.2f", least.cuckoo / least.forgetful))
                        .toList());
    }

    private static String wins(List<Least> leasts) {
        return leasts.stream().anyMatch(Least::wins)
                ? "It wins in some windows" + where(leasts) + ", and nowhere else."
                : "It wins nowhere.";
    }

    private Judged memory() {
        List<Least> papers = leasts(FIRST_CCF, FIRST_CCF + 1);
        List<Least> best = leasts(FIRST_CCF, FIRST_CCF + 3);
        return new Judged(
                "window",
                "a CCF takes less memory than the forgetful filter",
                "not in the paper",
                "default, paper's parameters: " + of(ofDefault(papers)) + "; cheapest found: " + of(ofDefault(best)),
                verdict(best),
                format(
                        "With the paper's parameters it wins %d of %d cells, with the cheapest we found %d%s. Its fingerprints must tell all "
                                + "operations of the window apart, and with the paper's parameters its ring takes more than they do.",
                        papers.stream().filter(Least::wins).count(),
                        papers.size(),
                        best.stream().filter(Least::wins).count(),
                        where(best)));
    }

    private Judged time() {
        List<WindowTimes.Row> ccf = times.stream()
                .filter(row -> row.name().equals(WindowTimes.CONSISTENT))
                .toList();
        List<String> ratios = ccf.stream()
                .map(row -> format("%.1f (%.1f) at %s", ratio(row), ratioOfBoth(row), power(row.fpp())))
                .toList();
        return new Judged(
                "window",
                "a CCF takes less time for an operation than the forgetful filter",
                "not in the paper",
                "times the forgetful filter's (with its background thread): " + String.join(", ", ratios),
                Judged.verdict(
                        ccf.stream().allMatch(row -> ratio(row) < 1 && ratioOfBoth(row) < 1),
                        ccf.stream().anyMatch(row -> ratioOfBoth(row) < 1)),
                "One thread on the heap, which a crash empties, beside the mapped filter, which survives one and takes any number of threads.");
    }

    private Judged plain() {
        List<Least> fits = leasts(FIRST_CUCKOO + 1, FIRST_CUCKOO + 2);
        List<Least> powers = leasts(FIRST_CUCKOO, FIRST_CUCKOO + 1);
        return new Judged(
                "window",
                "a plain cuckoo filter with tags and a rescan takes less memory than the forgetful filter",
                "not in the paper",
                "default, where its size fits: " + of(ofDefault(fits)) + "; as powers of two come: "
                        + of(ofDefault(powers)),
                verdict(powers),
                format(
                        "It wins %d of %d cells where its size fits, and %d as powers of two come%s. This is the member of the family that wins where users are, "
                                + "in bits; what the bits do not show is at the end of this section.",
                        fits.stream().filter(Least::wins).count(),
                        fits.size(),
                        powers.stream().filter(Least::wins).count(),
                        where(powers)));
    }

    private String findings() {
        return """
                What the bits do not show:

                - A cuckoo filter that is full refuses an operation; the forgetful filter takes it, and grows.
                - A reallocation moves an entry that others may look for meanwhile: without a lock, or a version that is read twice, a reader misses it, \
                and an operation is applied twice. Bits of a Bloom filter are only set.
                - A process that is killed between the two writes of a reallocation loses an entry. In a mapped file that is an operation applied \
                twice after the restart, unless a log precedes it.
                - A deletion of what was never inserted removes the entry of another operation. A queue that survives a crash when the filter does not, \
                or the other way round, does just that.
                - A false positive is not inserted, and so nothing may be deleted for it. Here all windows keep to that.
                """;
    }
}
