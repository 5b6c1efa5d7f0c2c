package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** A short run of one experiment, through to what people and machines read. */
class OptimizedCheckTest {

    private final Figure figure = new OptimizedCheck().run(3);

    @Test
    void holdsThatTheOptimisedCheckIsNinetyPercentBelow() {
        assertThat(figure.claims()).singleElement().satisfies(claim -> {
            assertThat(claim.verdict()).isEqualTo(Claim.Verdict.HOLDS);
            assertThat(claim.asPrinted()).as("N = 1").isEqualTo(claim.corrected());
        });
    }

    @Test
    void givesTheSamePageForTheSameSeeds() {
        assertThat(Page.of(List.of(new OptimizedCheck().run(3)), 3)).isEqualTo(Page.of(List.of(figure), 3));
        assertThat(new OptimizedCheck().run(2).data().csv())
                .isNotEqualTo(figure.data().csv());
    }

    @Test
    void linksTheSummaryToTheSection() {
        assertThat(Page.of(List.of(figure), 3))
                .contains("[8](#figure-8-the-optimised-membership-check)")
                .contains("## Figure 8: The optimised membership check");
    }

    @Test
    void tellsPeopleAndMachinesTheSame() {
        Claim claim = figure.claims().get(0);

        assertThat(PaperReproduction.table(List.of(figure), 3)).contains(claim.corrected(), "holds");
        assertThat(JsonMapper.shared().writeValueAsString(claim)).contains(claim.corrected(), "\"verdict\":\"holds\"");
    }
}
