package dev.fbf.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.BenchReport.Measurement;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Figures;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchReportTest {

    @Test
    void comparesMedians() {
        BenchReport report = new BenchReport(List.of(
                measured("check", Contender.GUAVA, 1, 1, 120, 0),
                measured("check", Contender.GUAVA, 64, 1, 150, 0),
                measured("check", Contender.GUAVA, 2048, 1, 400, 0),
                measured("check", Contender.GUAVA_N4, 64, 1, 900, 0),
                measured("check", Contender.GUAVA_N22, 64, 1, 3600, 0),
                measured("check", Contender.FBF_N4, 1, 1, 40, 0),
                measured("check", Contender.FBF_N4, 64, 1, 100, 0.25),
                measured("check", Contender.FBF_N4, 2048, 1, 160, 0),
                measured("check", Contender.FBF_N22, 64, 1, 120, 0),
                measured("check", Contender.LINES, 64, 1, 80, 0),
                measured("checkAll", Contender.LINES, 64, 1, 50, 1),
                measured("checkAll", Contender.FBF_N4, 64, 1, 65, 1),
                measured("checkAlone", Contender.NOTHING, 64, 1, 30, 0),
                measured("checkAlone", Contender.LINES, 64, 1, 130, 0),
                measured("checkAlone", Contender.FBF_N4, 64, 1, 150, 0),
                measured("put", Contender.GUAVA, 64, 1, 200, 0),
                measured("put", Contender.FBF_N4, 64, 1, 210, 0),
                measured("check", Contender.FBF_N4, 64, 2, 125, 0),
                new Measurement(new BenchCase("check", Contender.FBF_N4, 64, 1, BenchCase.CHRONICLE), 80, 0)));
        List<Target> targets = report.targets(
                new BenchCase.Sizes(1, 64, 2048),
                new Bench.Background(1024, 20, 256, new ClearWhileChecking.Result(400, 1.4), 1.45));

        assertThat(targets)
                .filteredOn(target -> !target.name().startsWith("bits"))
                .extracting(Target::measured)
                .containsExactly(
                        9.0, 30.0, 3.0, 1.5, 2.5, 1.2, 1.05, 1.6, 1.2, 1.25, 1.3, 0.25, 20.0, 400.0, 1.4, 1.45, 1.25);
        assertThat(targets.get(0)).isEqualTo(Target.atLeast("check: 6 Guava filters over fbf N = 4", 8, 9));
        assertThat(report.table()).contains("checkAlone");
        assertThat(Figures.of(
                        "bench",
                        "filters",
                        Map.of("settings", Map.of("mebibytes", "64"), "figures", report, "targets", targets)))
                .contains("| check, N = 4 | 100 ns | 900 ns (six in rotation) |")
                .contains("| check, N = 22 | 120 ns | 3,600 ns (24 in rotation) |")
                .contains("| put | 210 ns | 200 ns (one) |", "| open after a kill, 1024 MiB, in ms | 20 |");
    }

    private static Measurement measured(
            String benchmark, Contender contender, int mebibytes, int threads, double nanos, double bytes) {
        return new Measurement(new BenchCase(benchmark, contender, mebibytes, threads), nanos, bytes);
    }
}
