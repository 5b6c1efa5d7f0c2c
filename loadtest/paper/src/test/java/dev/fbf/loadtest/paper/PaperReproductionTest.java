package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Short runs, through to what people and machines read. */
class PaperReproductionTest {

    @TempDir
    private Path directory;

    @Test
    @Tag("nightly")
    void writesEachFigureIntoThePageAndItsDataBeside() throws Exception {
        Run.Findings findings =
                new PaperReproduction().run(Settings.of("paper.", Map.of("page", directory.toString(), "seeds", "1")));

        assertThat(findings.table()).contains("optimised check below simple check, 300 operations");
        assertThat(directory.resolve("README.md"))
                .content()
                .contains("| [8](#figure-8-the-optimised-membership-check) | optimised check")
                .contains("**Holds** (optimised check below simple check, 300 operations).")
                .contains("**In part** (3 filters against 24, growing rate, 100/s).")
                .contains("## Figure 8: The optimised membership check");
        for (int figure : new int[] {8, 9, 10, 11, 12, 13, 16}) {
            String name = format("figure-%02d", figure);
            assertThat(directory.resolve(name + ".csv")).isNotEmptyFile();
            assertThat(directory.resolve(name + ".png")).isNotEmptyFile();
            assertThat(directory.resolve("README.md")).content().contains("(" + name + ".csv)");
        }
    }

    /** With three filters it gives none back, however little comes. */
    @Test
    void theAdaptiveFilterDoublesItsFiltersNearTheTargetAndDropsThemOneByOneFarBelow() {
        assertThat(AdaptiveTrace.record(Rule.CORRECTED, AdaptiveRun::operationsBy, AdaptiveRun.TARGET, 40, 1)
                        .changes())
                .containsExactly(
                        new AdaptiveTrace.Change(16, 3, 6, 11, 10),
                        new AdaptiveTrace.Change(17, 6, 5, 10, 11),
                        new AdaptiveTrace.Change(18, 5, 4, 11, 12),
                        new AdaptiveTrace.Change(26, 4, 8, 12, 11),
                        new AdaptiveTrace.Change(27, 8, 7, 11, 12),
                        new AdaptiveTrace.Change(28, 7, 6, 12, 13),
                        new AdaptiveTrace.Change(29, 6, 5, 13, 14),
                        new AdaptiveTrace.Change(38, 5, 10, 14, 13),
                        new AdaptiveTrace.Change(39, 10, 9, 13, 14),
                        new AdaptiveTrace.Change(40, 9, 8, 14, 15));
    }
}
