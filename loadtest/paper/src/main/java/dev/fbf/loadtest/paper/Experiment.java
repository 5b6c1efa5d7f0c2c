package dev.fbf.loadtest.paper;

import java.util.List;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;

/** Draws one of the paper's figures again, once. */
abstract class Experiment {

    static final List<Rule> RULES = List.of(Rule.AS_PRINTED, Rule.CORRECTED, Rule.SINGLE);

    final Curves curves = new Curves();
    private int seeds;

    /** @param count with how many seeds everything is measured */
    final Figure run(int count) {
        seeds = count;
        return figure();
    }

    abstract Figure figure();

    final int seeds() {
        return seeds;
    }

    /** The result under each rule of the page, in the order of its columns. */
    static List<String> each(Function<Rule, String> result) {
        return RULES.stream().map(result).toList();
    }

    final Spread over(LongToDoubleFunction measurement) {
        return Spread.over(seeds, measurement);
    }
}
