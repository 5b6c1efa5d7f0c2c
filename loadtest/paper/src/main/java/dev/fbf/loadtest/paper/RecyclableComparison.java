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
                new Plot(
                        "Figure 16: error of a counter (1,500 bits in all, k = 3)",
                        "operations retried, percent",
                        true,
                        "error, percent",
                        curves.lines(name -> name.endsWith("size of the error"))),
                curves.data("retried"),
                List.of(table),
                List.of(),
                List.of(growthClaim(), steadyClaim(), lowerClaim()));
    }

    private Claim growthClaim() {
        double atTenth = over(seed -> overcount(0.1, seed)).mean();
        double atAll = over(seed -> overcount(1, seed)).mean();
        String growth = Digits.format("10 times the retries: %.1f times the double counts", atAll / atTenth);
        return new Claim(
                "Figure 16",
                "error of the recyclable filter as retries grow",
                "exponential",
                List.of(growth, "—", "—"),
                Claim.Verdict.of(atAll / atTenth >= 15),
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
                "Figure 16",
                "error of the forgetful filter with 1 % and with 100 % retried",
                "low and steady",
                each(this::fromTo),
                Claim.Verdict.of(steady),
                "It never grows; it falls a little, because a lost operation that is retried may be counted after all.");
    }

    private Claim lowerClaim() {
        boolean always = true;
        for (double retried : RETRIED) {
            always &= size(retried, seed -> memory(Rule.CORRECTED, seed))
                    < size(retried, RecyclableComparison::recyclable);
        }
        return new Claim(
                "Figure 16",
                "the forgetful filter is the more accurate: error with 1 %, 20 % and 100 % retried",
                "always",
                each(rule -> sizes(seed -> memory(rule, seed))),
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
