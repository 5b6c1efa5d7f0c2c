package dev.fbf.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private enum Who {
        ONE,
        OTHER
    }

    private final List<Turn> turns = new ArrayList<>();

    @Test
    void comparesTheMediansOfTurns() {
        for (double perSecond : new double[] {8_000, 17_000, 18_000}) {
            turn("rows", Who.ONE, perSecond);
            turn("rows", Who.OTHER, 2 * perSecond);
        }
        turn("a row", Who.ONE, 5_000);
        Report report = Report.of(turns);

        assertThat(report.results()).extracting(Report.Result::workload).containsExactly("rows", "a row");
        assertThat(report.results().get(0).summaries().get(0).figures())
                .isEqualTo(Map.of("perSecond", 17_000.0, "slowest", 8_000.0, "fastest", 18_000.0));
        assertThat(report.table()).containsPattern("ONE +17,000\\.00 +8,000\\.00 +18,000\\.00\n");
        assertThat(report.targets("""
                        rows | ONE | OTHER | perSecond | >=0.5
                        rows | ONE | OTHER | perSecond | >=0.6
                        rows | ONE | a row: ONE | perSecond | <=3.4
                        a row | ONE | OTHER | perSecond | <=1
                        a row | ONE | - | perSecond | <=4000
                        no row | ONE | - | perSecond | <=4000
                        """))
                .containsExactly(
                        Target.atLeast("rows: ONE over OTHER, requests/s", 0.5, 0.5),
                        Target.atLeast("rows: ONE over OTHER, requests/s", 0.6, 0.5),
                        Target.atMost("rows: ONE over a row: ONE, requests/s", 3.4, 3.4),
                        Target.atMost("a row: ONE, requests/s", 4_000, 5_000));
    }

    @Test
    void aCounterIsWrongThoughItsErrorCancelsThatOfAnother() throws Exception {
        try (Crowd crowd = new Crowd(2, false, 3)) {
            long[] done = new long[3];
            Increments increments = (counter, key) -> {
                synchronized (done) {
                    done[counter]++;
                }
            };
            Map<String, Double> figures =
                    crowd.run(Workload.of("2x3"), Who.ONE, List.of(increments), Duration.ofMillis(20));

            assertThat(figures.get("requests")).isEqualTo((double) (done[0] + done[1] + done[2]));
            assertThat(crowd.wrong(List.of(done[0], done[1], done[2]), List.of(Who.ONE, Who.OTHER)))
                    .isZero();
            assertThat(crowd.wrong(List.of(done[0] + 1, done[1] - 1, done[2]), List.of(Who.ONE)))
                    .isEqualTo(2);
        }
    }

    private void turn(String workload, Who contender, double perSecond) {
        turns.add(new Turn(workload, contender, Map.of("perSecond", perSecond)));
    }
}
