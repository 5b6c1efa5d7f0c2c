package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Figures;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurabilityReportTest {

    @Test
    void comparesMedians() {
        List<DurableLog.Turn> writes = List.of(
                new DurableLog.Turn(1, 10, 8_000, 0),
                new DurableLog.Turn(16, 160, 1_100, 0),
                new DurableLog.Turn(1, 10, 9_000, 0),
                new DurableLog.Turn(16, 160, 900, 0),
                new DurableLog.Turn(1, 10, 8_200, 0),
                new DurableLog.Turn(16, 160, 1_000, 0));

        DurabilityBench.Report report =
                DurabilityBench.Report.of(List.of(), writes, new DurableLog.Rebuild(600, List.of(1.0, 9.0, 1.5), 0));

        assertThat(report.targets())
                .containsExactly(
                        Target.atMost("bytes for an operation, 1 together", 8_192, 8_200),
                        Target.atMost("bytes for an operation, 16 together", 1_024, 1_000),
                        Target.atMost("rebuild from a log of 600 operations, s", 2, 1.5));
        assertThat(report.table()).contains("8,200 bytes");
        assertThat(Figures.of("durability", "targets", Map.of("targets", report.targets())))
                .contains("| bytes for an operation, 1 together | ≤ 8192.00 | 8,200 | missed |");
    }

    @Test
    void aFilterIsRebuiltFromItsLog(@TempDir Path directory) throws Exception {
        DurableLog.Rebuild result = DurableLog.rebuild(directory, 2_500, 2);

        assertThat(result.seconds()).hasSize(2);
        assertThat(result.lost()).isZero();
    }

    @Test
    void eachBatchHasATurnInEachRound(@TempDir Path directory) throws Exception {
        assumeThat(DeviceWrites.of(directory)).isPresent();

        List<DurableLog.Turn> turns = DurableLog.writes(directory, List.of(1, 100), 2, Duration.ofMillis(50));

        assertThat(turns).extracting(DurableLog.Turn::batch).containsExactly(1, 100, 1, 100);
        assertThat(turns)
                .allSatisfy(turn -> assertThat(turn.operations()).isPositive().matches(of -> of % turn.batch() == 0));
    }
}
