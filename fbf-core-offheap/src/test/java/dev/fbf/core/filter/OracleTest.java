package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Same operations, same clock, same responses, false positives included: the filter and the oracle. */
class OracleTest {

    private static final Duration PERIOD = Duration.ofMillis(100);

    private final HandClock clock = new HandClock();

    @ParameterizedTest(name = "{0}, lanes of {1} bits, N = {2}, {3} × {4} probes, {6} lines first")
    @CsvSource({
        "SINGLE, 4, 1, 2, 2, 1e-9, 1",
        "SINGLE, 8, 5, 3, 4, 1e-9, 1",
        "SINGLE, 16, 13, 2, 3, 1e-9, 1",
        "SINGLE, 64, 61, 2, 2, 1e-9, 1",
        "SINGLE, 16, 13, 2, 3, 0.1, 2",
        "SINGLE, 16, 13, 4, 3, 0.1, 4",
        "SINGLE, 8, 5, 6, 2, 0.1, 6",
        "SINGLE, 8, 5, 3, 4, 0.001, 2",
        "PAPER, 4, 1, 2, 2, 1e-9, 1",
        "PAPER, 8, 4, 4, 3, 1e-9, 1",
        "PAPER, 8, 5, 3, 4, 1e-9, 1",
        "PAPER, 16, 13, 2, 3, 1e-9, 1",
        "PAPER, 64, 61, 2, 2, 1e-9, 1"
    })
    void respondsAsThePlaneByPlaneFilterDoes(
            Rule rule, int laneBits, int past, int lines, int probesPerLine, double falsePositives, int firstLines) {
        FilterSizing sizing = new FilterSizing(1_000, FilterSizing.DEFAULT.retryWindow(), falsePositives);
        FilterPlan plan = new FilterPlan(
                sizing,
                sizing,
                false,
                rule,
                laneBits,
                past,
                40,
                new Spread(lines, probesPerLine, FilterLayout.LINE_BITS / laneBits),
                PERIOD);
        assertThat(plan.linesOfMostChecks()).isEqualTo(firstLines);
        Words words = new HeapWords(plan.bytes() / Long.BYTES);
        Arena.initialize(plan, words, FilterClock.of(clock), ProbeHash.randomSecret());
        ProbeHash hash = HeapArenas.fixSecret(words);
        Arena filter = new Arena(plan, words, FilterClock.of(clock));
        PlaneByPlaneFilter oracle = new PlaneByPlaneFilter(plan, hash);
        Random random = new Random(past);
        int present = 0;
        int checks = 20_000;

        for (int i = 0; i < checks; i++) {
            if (random.nextInt(10) == 0) {
                OperationId put = new OperationId(random.nextInt(checks), 0);
                filter.put(put, false);
                oracle.put(put);
            }
            if (random.nextInt(200) == 0) {
                clock.advance(PERIOD);
                assertThat(filter.refreshIfDue()).isTrue();
                oracle.refresh();
            }
            OperationId asked = new OperationId(random.nextInt(checks), 0);
            boolean response = oracle.mightContain(asked);
            assertThat(filter.mightContain(asked)).as("check %d", i).isEqualTo(response);
            present += response ? 1 : 0;
        }

        // neither always nor never, or the comparison would say little
        assertThat(present).isBetween(checks / 1000, checks * 999 / 1000);
    }
}
