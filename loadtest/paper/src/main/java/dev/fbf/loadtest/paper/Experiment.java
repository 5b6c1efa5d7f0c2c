package dev.fbf.loadtest.paper;

/** Draws one of the paper's figures again. */
@FunctionalInterface
interface Experiment {

    Figure run(int seeds);
}
