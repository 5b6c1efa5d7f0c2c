package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.CapacityTest.Contender;
import dev.fbf.loadtest.CapacityTest.Row;
import dev.fbf.loadtest.harness.Run.Findings;
import dev.fbf.loadtest.harness.pages.Figures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class CapacityTestTest {

    private long counterOfGrouped = 1_000;
    private long counterOfUnguarded = 1_050;
    private String failure = "";

    @Test
    void comparesMedians() {
        assertThat(findings().failures()).isEmpty();
        assertThat(findings().targets())
                .singleElement()
                .satisfies(target -> assertThat(target.measured()).isEqualTo(2.5));
        assertThat(Figures.of(
                        "loadtest-capacity",
                        "rates",
                        Map.of("figures", findings().figures())))
                .contains("| unguarded | 100 | 1.00 | 50 … 900 |")
                .contains("| grouped, filter | 250 | 2.50 |", "| 10, 20, 30 |");
    }

    @Test
    void anInexactCounterBehindTheGuardFailsTheRun() {
        counterOfGrouped = 1_001;
        assertThat(findings().failures())
                .containsExactly(
                        "grouped, filter: the counter is 1,001 after 1,000 distinct operations: not exactly once");
    }

    @Test
    void anOperationThatWasNeverAcknowledgedAndAMiscountFailTheRun() {
        failure = "it is lost";
        counterOfUnguarded = 999;
        assertThat(findings().failures())
                .contains("unguarded: it is lost")
                .anyMatch(complaint -> complaint.contains("miscounts"));
    }

    private Findings findings() {
        List<Row> rows =
                List.of(row(Contender.UNGUARDED, 1, counterOfUnguarded), row(Contender.GROUPED, 2.5, counterOfGrouped));
        return CapacityTest.findings(rows, Map.of());
    }

    private Row row(Contender contender, double factor, long counter) {
        List<Map<String, Double>> rounds = DoubleStream.of(900, 50, 100)
                .mapToObj(rate -> round(rate * factor))
                .toList();
        return Row.of(contender, rounds, 1_000, counter, failure);
    }

    private static Map<String, Double> round(double requestsPerSecond) {
        Map<String, Double> figures = new HashMap<>(Map.of("requestsPerSecond", requestsPerSecond, "p50Millis", 1.0));
        figures.putAll(Map.of("p99Millis", 2.0, "p999Millis", 3.0, "gatling", 10.0, "app", 20.0, "postgres", 30.0));
        return figures;
    }
}
