package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.paper.PaperOnCassandra.Cell;
import dev.fbf.loadtest.paper.PaperOnCassandra.Figures;
import dev.fbf.loadtest.paper.PaperOnCassandra.Latency;
import dev.fbf.loadtest.paper.PaperOnCassandra.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {

    private static final Plot PLOT = new Plot("title", "x", false, "y", List.of());

    @TempDir
    private Path directory;

    @Test
    void judgesTheClaimsInItsBlocksAndKeepsItsProse() throws Exception {
        Page page = page("cassandra.md");
        page.plot("figure-14", PLOT, "data");

        List<Claim> claims = page.write(new Figures(
                List.of(new Sample(90, 500, 500, 500, 530)),
                new Latency(12, 10),
                List.of(new Cell(0.01, 5, 500, 500, 548, 7))));

        assertThat(claims)
                .extracting(Claim::where, Claim::verdict)
                .containsExactly(
                        tuple("Figure 14", "holds"), tuple("Figure 15", "does not hold"), tuple("Figure 17", "holds"));
        assertThat(directory.resolve("cassandra.md"))
                .content()
                .contains("\n<!-- measured: figure-14 -->\n**Holds** (without the filter the counter is wrong, with it")
                .contains("wrong by +6.0 %, fbf's by 0.0 %.\n\n![title](figure-14.png)\n\nData: [figure-14.csv]")
                .contains("fbf's counter takes 12.0 ms, Cassandra's own 10.0 ms (medians): 20 % more.\n<!-- end -->")
                .contains("| 1 % | 5 | 500 | 7 | +9.6 % | 0.0 % |\n<!-- end -->")
                .contains("## Figure 14: value over time");
    }

    @Test
    void refusesATemplateWithOtherBlocks() throws Exception {
        Page page = page("filter.md");

        assertThatIllegalStateException()
                .isThrownBy(() -> page.write(List.of()))
                .withMessageContaining("measured were [not-on-the-page]");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void drawsAPlotAgainOnlyIfItsDataHaveChanged() throws Exception {
        Page page = page("cassandra.md");
        page.plot("figure-14", PLOT, "data");
        Path image = directory.resolve("figure-14.png");
        Files.writeString(image, "fonts of another machine");
        page.plot("figure-14", PLOT, "data");
        assertThat(image).hasContent("fonts of another machine");

        page.plot("figure-14", PLOT, "other data");
        assertThat(Files.size(image)).isGreaterThan(1_000);
    }

    private Page page(String name) throws IOException {
        return new Page(Settings.of("test.", Map.of("page", directory.toString())), name);
    }
}
