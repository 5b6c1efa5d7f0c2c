package dev.fbf.loadtest.paper;

import java.util.function.LongToDoubleFunction;

/** Draws one of the paper's figures again, once. */
abstract class Experiment {

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

    final Spread over(LongToDoubleFunction measurement) {
        return Spread.over(seeds, measurement);
    }
}
