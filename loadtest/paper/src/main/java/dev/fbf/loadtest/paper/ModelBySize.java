package dev.fbf.loadtest.paper;

import java.util.List;

/** Figure 10: equation 3 against the count, by the size of the generations. */
final class ModelBySize extends Experiment {

    private static final int ELEMENTS = 300;
    private static final int PROBES = 5;

    @Override
    Figure figure() {
        ModelAgainstCount model = new ModelAgainstCount(this, "300 elements, spread over the first two periods", "m");
        for (int positions = 5_000; positions <= 30_000; positions += 5_000) {
            model.row(positions, new Filling(ELEMENTS / 2.0, 2, positions, PROBES, 1));
        }
        return new Figure(
                10,
                new Plot(
                        "Figure 10: equation 3 and the count (300 elements, k = 5, N = 1)",
                        "bits in a generation (m)",
                        false,
                        "false positive probability",
                        curves.lines(name -> true)),
                curves.data("m"),
                List.of(model.table()),
                List.of(),
                List.of(new Claim(
                        "Figure 10",
                        "equation 3 matches the count, m = 5k to 30k",
                        "reasonably",
                        List.of(model.off(), model.off(), model.singleOff()),
                        Claim.Verdict.of(model.holds()),
                        "It holds at every size, at N = 1.")));
    }
}
