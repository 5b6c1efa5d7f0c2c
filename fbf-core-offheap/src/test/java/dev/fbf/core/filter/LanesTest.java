package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanesTest {

    private static final int LANE_BITS = 4;

    /** A check reads some lines first; with many false positives it reads all of them then. */
    @ParameterizedTest(name = "{0} lines, the first {1} of them first")
    @CsvSource({"1, 1, 0.1", "2, 2, 0.1", "3, 3, 0.1", "4, 4, 0.1", "5, 5, 0.1", "5, 1, 1e-9"})
    void findAnOperationOnlyInAllOfItsLines(int lines, int first, double falsePositives) {
        FilterSizing sizing = new FilterSizing(10, Duration.ofSeconds(1), falsePositives);
        Spread spread = new Spread(lines, 2, FilterLayout.LINE_BITS / LANE_BITS);
        FilterPlan plan =
                new FilterPlan(sizing, sizing, false, Rule.SINGLE, LANE_BITS, 1, 64, spread, Duration.ofMillis(500));
        assertThat(plan.linesOfMostChecks()).isEqualTo(first);
        Words words = new HeapWords(plan.bytes() / Long.BYTES);
        HeapArenas.fixSecret(words);
        Lanes lanes = new Lanes(plan, words);
        long seed = lanes.hash.seed(1, 2);

        for (int set = 0; set <= lines; set++) {
            lanes.set(seed, set, 1);

            assertThat(lanes.find(seed)).as("with %d lines set", set).isEqualTo(set == lines ? 1 : 0);
            assertThat(Batch.each(1, (i, batch) -> batch.add(1, 2), lanes::findInFirstLines))
                    .as("by the first lines, with %d lines set", set)
                    .containsExactly(set >= first);
        }
    }
}
