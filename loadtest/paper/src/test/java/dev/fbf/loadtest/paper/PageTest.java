package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.loadtest.harness.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {

    @TempDir
    private Path directory;

    private Page page;

    @BeforeEach
    void read() throws Exception {
        page = new Page(Settings.of("test.", Map.of("page", directory.toString())), "cassandra.md");
    }

    @Test
    void replacesItsBlocksAndKeepsItsProse() throws Exception {
        page.block("figure-14", "$1 was measured");
        page.block("figure-15", "two");
        page.block("figure-17", "three");
        page.write();

        assertThat(directory.resolve("cassandra.md"))
                .content()
                .contains("\n<!-- measured: figure-14 -->\n$1 was measured\n<!-- end -->\n")
                .contains("## Figure 14: value over time")
                .doesNotContain("Cassandra's own counter is wrong by");
    }

    @Test
    void refusesToLeaveABlockAsItWas() {
        page.block("figure-14", "one");

        assertThatIllegalStateException().isThrownBy(() -> page.write()).withMessageContaining("figure-17");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void drawsAPlotAgainOnlyIfItsDataHaveChanged() throws Exception {
        Plot plot = new Plot("title", "x", false, "y", List.of());
        page.plot("figure-14", plot, "data");
        Path image = directory.resolve("figure-14.png");
        Files.writeString(image, "fonts of another machine");
        page.plot("figure-14", plot, "data");
        assertThat(image).hasContent("fonts of another machine");

        page.plot("figure-14", plot, "other data");
        assertThat(Files.size(image)).isGreaterThan(1_000);
    }
}
