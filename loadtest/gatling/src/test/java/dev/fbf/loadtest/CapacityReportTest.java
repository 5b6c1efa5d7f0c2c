package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.CapacityTest.Contender;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Figures;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CapacityReportTest {

    private double machineLoad = 0.5;
    private long counterOfGrouped = 1_000;
    private long counterOfUnguarded = 1_050;
    private String failure = "";

    @Test
    void comparesMedians() {
        assertThat(report().ratio()).isEqualTo(2.5);
        assertThat(report().rows().get(0))
                .extracting(
                        CapacityReport.Row::lowest, CapacityReport.Row::requestsPerSecond, CapacityReport.Row::highest)
                .containsExactly(50.0, 100.0, 900.0);
        assertThat(report().complaints()).isEmpty();
        assertThat(Figures.of("loadtest-capacity", "rates", Map.of("figures", report())))
                .contains("| unguarded | 100 | 1.00 | 50 … 900 |")
                .contains("| grouped, filter | 250 | 2.50 |");
    }

    @Test
    void anInexactCounterBehindTheGuardFailsTheRun() {
        counterOfGrouped = 1_001;

        assertThat(report().complaints())
                .containsExactly(
                        "grouped, filter: the counter is 1,001 after 1,000 distinct operations: not exactly once");
    }

    @Test
    void anUnguardedCounterBelowItsOperationsMeansAMiscount() {
        counterOfUnguarded = 999;

        assertThat(report().complaints()).singleElement().asString().contains("miscounts");
    }

    @Test
    void anOperationThatWasNeverAcknowledgedFailsTheRun() {
        failure = "it is lost";

        assertThat(report().complaints()).contains("unguarded: it is lost");
    }

    @Test
    void saysWhatLimitsEachContender() {
        assertThat(report().rows()).extracting(CapacityReport.Row::limit).containsExactly("the row's lock", "the disk");

        machineLoad = 0.95;
        assertThat(report().rows())
                .extracting(CapacityReport.Row::limit)
                .containsExactly("the processor", "the processor");
    }

    @Test
    void saysWhetherTheTargetIsMet() {
        assertThat(report().targets())
                .containsExactly(Target.atLeast("requests a second: SqlCounters over unguarded", 2, 2.5));
    }

    private CapacityReport report() {
        return new CapacityReport(List.of(
                row(Contender.UNGUARDED, 1, counterOfUnguarded, Map.of("Lock/transactionid", 12.0)),
                row(Contender.GROUPED, 2.5, counterOfGrouped, Map.of("IO/WalSync", 0.9))));
    }

    private CapacityReport.Row row(Contender contender, double factor, long counter, Map<String, Double> waits) {
        List<CapacityReport.Round> rounds =
                List.of(round(900 * factor, waits), round(50 * factor, waits), round(100 * factor, waits));
        return CapacityReport.Row.of(contender, rounds, 1_000, counter, failure);
    }

    private CapacityReport.Round round(double requestsPerSecond, Map<String, Double> waits) {
        return new CapacityReport.Round(
                requestsPerSecond, 1, 2, 3, new CapacityReport.Micros(10, 20, 30), 1.5, machineLoad, waits);
    }
}
