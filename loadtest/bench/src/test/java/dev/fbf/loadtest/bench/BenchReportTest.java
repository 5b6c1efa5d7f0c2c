package dev.fbf.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BenchReportTest {

    @Test
    void comparesMedians() {
        BenchReport report = BenchReport.of(
                64,
                List.of(
                        new Measurement("check", Contender.GUAVA, 1, 150, 0),
                        new Measurement("check", Contender.GUAVA_N4, 1, 900, 0),
                        new Measurement("check", Contender.GUAVA_N22, 1, 3600, 0),
                        new Measurement("check", Contender.FBF_N4, 1, 100, 0),
                        new Measurement("check", Contender.FBF_N22, 1, 120, 0),
                        new Measurement("put", Contender.GUAVA, 1, 200, 0),
                        new Measurement("put", Contender.FBF_N4, 1, 210, 0),
                        new Measurement("check", Contender.FBF_N4, 2, 125, 0)));

        assertThat(report.ratios())
                .extracting(BenchReport.Ratio::value)
                .containsExactly(9.0, 30.0, 1.5, 1.2, 1.05, 1.6);
        assertThat(report.table()).contains("check: 6 Guava filters over fbf N = 4", "9.00   (≥ 8)");
    }
}
