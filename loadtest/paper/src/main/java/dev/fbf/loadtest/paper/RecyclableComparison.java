package dev.fbf.loadtest.paper;

import java.util.List;
import java.util.function.LongFunction;

/** Figure 16: a counter behind a recyclable Bloom filter, and behind a forgetful one of the same memory. */
final class RecyclableComparison extends Experiment {

    private static final int POSITIONS = 500;
    private static final int PROBES = 3;
    private static final int PAST = 1;
    private static final int PERIOD = 5;
    private static final int OPERATIONS = 2_000;
    private static final double RATE = 5;
    private static final double TARGET = 0.02;
    private static final double WINDOW = (PAST + 1.0) * PERIOD;
    private static final double[] RETRIED = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
    private static final String RECYCLABLE = "recyclable";

    @Override
    Figure figure() {
        Table table = new Table(
                "The counter's error (− too few, + too many)",
                "retried",
                RECYCLABLE,
                "corrected (and as printed)",
                "SINGLE");
        for (double retried : RETRIED) {
            table.row(
                    Digits.percent(retried),
                    signed(measure(RECYCLABLE, retried, RecyclableComparison::recyclable)),
                    signed(measure(Rule.CORRECTED.toString(), retried, seed -> memory(Rule.CORRECTED, seed))),
                    signed(measure(Rule.SINGLE.toString(), retried, seed -> memory(Rule.SINGLE, seed))));
        }
        return new Figure(
                16,
                "A recyclable Bloom filter",
                Digits.format("""
                        Claim: as retries become more frequent, the error of a counter behind a recyclable Bloom filter (m = 1,500, \
                        k = 3, emptied when its FPP reaches the target) grows exponentially, while behind a forgetful one of the same \
                        memory (3 × m = 500, k = 3) it stays low and steady. The paper calls that filter a 1-FBF of three filters and gives N = 3 \
                        among its parameters; by its memory it must be N = 1. Not said: target, rate, period, number of operations, and when \
                        a retry comes. We take %,d operations at %.0f/s, t = %d s, a target of %.2f (what the forgetful filter reaches at the \
                        end of a period), and retry a share of the operations once, at a random moment of the window (N + 1)·t = %.0f s.""", OPERATIONS, RATE, PERIOD, TARGET, WINDOW),
                new Plot(
                        "Figure 16: error of a counter (1,500 bits in all, k = 3)",
                        "operations retried, percent",
                        true,
                        "error, percent",
                        curves.lines(name -> name.endsWith("size of the error"))),
                curves.data("retried"),
                List.of(table),
                List.of("""
                        The recyclable filter counts a retry twice when it was emptied in between: its error grows in proportion to the \
                        retries. On a logarithmic axis that can look like more than it is; twice the retries make about \
                        twice the double counts.""", """
                        The forgetful filter counts no retry twice within its window. Its error is its false positives, each an \
                        operation lost. It even falls as retries become more frequent: a lost operation that is retried after the next \
                        refresh gets a second chance, and is counted then.""", """
                        With few retries the recyclable filter is the more accurate one here: it is emptied before it \
                        is as full as the forgetful one always is, and its two kinds of error cancel each other out."""),
                List.of(growthClaim(), steadyClaim(), lowerClaim()));
    }

    private Claim growthClaim() {
        double atTenth = over(seed -> overcount(0.1, seed)).mean();
        double atAll = over(seed -> overcount(1, seed)).mean();
        String growth = Digits.format("10 times the retries: %.1f times the double counts", atAll / atTenth);
        return new Claim(
                16,
                "error of the recyclable filter as retries grow",
                "exponential",
                growth,
                "—",
                "—",
                atAll / atTenth < 15 ? Claim.Verdict.FAILS : Claim.Verdict.HOLDS,
                "The error grows in proportion to the retries, or hardly faster.");
    }

    /** How much more it counts than without any retries. */
    private static double overcount(double retried, long seed) {
        return error(retried, seed, recyclable(seed)) - error(0, seed, recyclable(seed));
    }

    private Claim steadyClaim() {
        Spread corrected = over(seed -> error(1, seed, memory(Rule.CORRECTED, seed)));
        Spread few = over(seed -> error(0.01, seed, memory(Rule.CORRECTED, seed)));
        boolean steady = Math.abs(corrected.mean()) < 0.03 && Math.abs(corrected.mean()) <= Math.abs(few.mean());
        return new Claim(
                16,
                "error of the forgetful filter with 1 % and with 100 % retried",
                "low and steady",
                fromTo(Rule.AS_PRINTED),
                fromTo(Rule.CORRECTED),
                fromTo(Rule.SINGLE),
                steady ? Claim.Verdict.HOLDS : Claim.Verdict.FAILS,
                "It never grows; it falls a little, because a lost operation that is retried may be counted after all.");
    }

    private Claim lowerClaim() {
        boolean always = true;
        for (double retried : RETRIED) {
            always &= size(retried, seed -> memory(Rule.CORRECTED, seed))
                    < size(retried, RecyclableComparison::recyclable);
        }
        return new Claim(
                16,
                "the forgetful filter is the more accurate: error with 1 %, 20 % and 100 % retried",
                "always",
                sizes(seed -> memory(Rule.AS_PRINTED, seed)),
                sizes(seed -> memory(Rule.CORRECTED, seed)),
                sizes(seed -> memory(Rule.SINGLE, seed)),
                always ? Claim.Verdict.HOLDS : Claim.Verdict.PARTLY,
                "The recyclable filter's error is " + sizes(RecyclableComparison::recyclable)
                        + ": with few retries it is the better one.");
    }

    private String sizes(LongFunction<Memory> memory) {
        return Digits.format(
                "%.1f, %.1f and %.1f %%", size(0.01, memory) * 100, size(0.2, memory) * 100, size(1, memory) * 100);
    }

    private double size(double retried, LongFunction<Memory> memory) {
        return over(seed -> Math.abs(error(retried, seed, memory.apply(seed)))).mean();
    }

    private String fromTo(Rule rule) {
        return signed(over(seed -> error(0.01, seed, memory(rule, seed)))) + " and "
                + signed(over(seed -> error(1, seed, memory(rule, seed))));
    }

    private Spread measure(String name, double retried, LongFunction<Memory> memory) {
        double percent = retried * 100;
        curves.measured(
                name + ", size of the error",
                percent,
                over(seed -> 100 * Math.abs(error(retried, seed, memory.apply(seed)))));
        return curves.measured(name, percent, over(seed -> error(retried, seed, memory.apply(seed))));
    }

    private static double error(double retried, long seed, Memory memory) {
        return new RetriedCounter(OPERATIONS, RATE, retried, WINDOW, seed).error(memory);
    }

    private static Memory recyclable(long seed) {
        return new RecyclableFilter((PAST + 2) * POSITIONS, PROBES, TARGET, seed);
    }

    private static Memory memory(Rule rule, long seed) {
        return Memory.of(new SimulatedFilter(rule, POSITIONS, PROBES, PAST, seed), PERIOD);
    }

    private static String signed(Spread share) {
        return Digits.format("%+.1f ± %.1f %%", share.mean() * 100, share.deviation() * 100);
    }
}
