package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

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
                .contains("## Figure 8: The optimised membership check");
        for (int figure : new int[] {8, 9, 10, 11, 12, 13, 16}) {
            String name = Digits.format("figure-%02d", figure);
            assertThat(directory.resolve(name + ".csv")).isNotEmptyFile();
            assertThat(directory.resolve(name + ".png")).isNotEmptyFile();
            assertThat(directory.resolve("README.md")).content().contains("(" + name + ".csv)");
        }
    }

    @Test
    void givesTheSameFiguresForTheSameSeeds() throws Exception {
        Figure figure = new OptimizedCheck().run(3);
        Page page = new Page(Settings.of("paper.", Map.of("page", directory.toString())), "README.md");

        assertThat(new OptimizedCheck().run(3).markdown(page)).isEqualTo(figure.markdown(page));
        assertThat(Files.readString(directory.resolve("figure-08.csv")))
                .isNotEqualTo(new OptimizedCheck().run(2).data().csv());
    }

    @Test
    void holdsThatTheOptimisedCheckIsNinetyPercentBelow() {
        List<Claim> claims = new OptimizedCheck().run(3).claims();

        assertThat(claims).singleElement().satisfies(claim -> {
            assertThat(claim.verdict()).isEqualTo(Claim.Verdict.HOLDS);
            assertThat(claim.measured().get(0))
                    .as("N = 1: as printed, corrected")
                    .isEqualTo(claim.measured().get(1));
        });
        assertThat(JsonMapper.shared().writeValueAsString(claims)).contains("\"verdict\":\"holds\"");
    }

    @Test
    void aClaimHoldsInPartWhereOneOfItsConditionsIsMet() {
        assertThat(Claim.Verdict.of(true, true)).isEqualTo(Claim.Verdict.HOLDS);
        assertThat(Claim.Verdict.of(true, false)).isEqualTo(Claim.Verdict.PARTLY);
        assertThat(Claim.Verdict.of(false, true)).isEqualTo(Claim.Verdict.PARTLY);
        assertThat(Claim.Verdict.of(false, false)).isEqualTo(Claim.Verdict.FAILS);
        assertThat(Claim.Verdict.of(false)).isEqualTo(Claim.Verdict.FAILS);
    }
}
