package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;

/** Figure 10: equation 3 against the count, by the size of the generations. */
final class ModelBySize extends ModelAgainstCount {

    private static final int ELEMENTS = 300;
    private static final int PROBES = 5;

    ModelBySize() {
        super(10, "m");
    }

    @Override
    Plot measure() {
        for (int positions = 5_000; positions <= 30_000; positions += 5_000) {
            measure(positions, new Filling(ELEMENTS / 2.0, 2, positions, PROBES, 1));
        }
        return new Plot(
                "Figure 10: equation 3 and the count (300 elements, k = 5, N = 1)",
                "bits in a generation (m)",
                false,
                "false positive probability",
                curves.lines(name -> true));
    }
}
