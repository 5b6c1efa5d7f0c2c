package dev.fbf.loadtest.harness.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.loadtest.harness.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DocumentationTest {

    private static final Documentation REAL = new Documentation(Path.of("../.."));

    private static final String RESULT = """
            {"length": "%s", "failures": [%s], "figures": {"turns": [1, 2], "sum": 3}, "targets": [
              {"name": "speed", "wanted": "≥ 2.00", "measured": %s, "met": true}]}
            """;

    private static final String PAGE = """
            Before.
            <!-- figures: guard/targets -->
            old
            <!-- end of figures -->
            After.
            """;

    @TempDir
    private Path repository;

    static Stream<Arguments> blocks() throws IOException {
        return REAL.pages().entrySet().stream()
                .flatMap(page -> page.getValue().blocks().stream().map(block -> Arguments.of(page.getKey(), block)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("blocks")
    void aBlockHasTheFiguresOfItsResult(String page, Page.Block block) {
        Optional<String> generated = REAL.generated(block);

        if (generated.isEmpty()) {
            assertThat(block.isMarkedNotGenerated())
                    .as("%s says of %s that it is not generated", page, block)
                    .isTrue();
        }
        assumeThat(generated)
                .as("%s: docs/results/%s.json, without which %s is not generated", page, block.run(), block)
                .isPresent();
        assertThat(block.content())
                .as("%s of %s, which is generated: mvn -Pdocs verify -pl loadtest/harness -am", block, page)
                .isEqualTo(generated.get());
    }

    @Test
    void aBlockIsTheSameOnAllPages() throws Exception {
        Map<String, Page> pages = REAL.pages();

        assertThat(pages.values().stream()
                        .flatMap(page -> page.blocks().stream())
                        .distinct())
                .extracting(Page.Block::name)
                .doesNotHaveDuplicates()
                .contains("guard/short");
    }

    /** Exact, or rounded to a decimal. A number after a name is a version. */
    @Test
    void readmeQuotesNoFigureOfThePerformancePageOutsideABlock() throws Exception {
        Map<String, Page> pages = REAL.pages();
        Set<String> quoted = figures(page(pages, "docs/performance.md").text())
                .flatMap(figure -> figure.contains(",")
                        ? Stream.of(figure)
                        : Stream.of(figure, Table.format("%.1f", Double.valueOf(figure))))
                .collect(Collectors.toSet());

        assertThat(figures(page(pages, "README.md").outsideBlocks())).doesNotContainAnyElementsOf(quoted);
    }

    private static Stream<String> figures(String text) {
        return Pattern.compile(
                        "(?<![\\w.,-])(?<![A-Z]\\w{0,20} )(?!0\\.\\d\\b)\\d+(?:\\.\\d\\d?|,(?!000)\\d{3})(?![\\w.,-])")
                .matcher(text)
                .results()
                .map(MatchResult::group);
    }

    @Test
    void leavesOutShortAndFailedRuns() throws Exception {
        assertThat(documentation().update(prepare(RESULT.formatted("smoke", "", "2.5"))))
                .containsExactly("guard.json is not of a full run");
        assertThat(documentation().update(prepare(RESULT.formatted("full", "\"lost\"", "2.5"))))
                .containsExactly("guard.json is of a run that failed");
        assertThat(repository.resolve("README.md")).hasContent(PAGE);
    }

    private static Page page(Map<String, Page> pages, String path) {
        return Objects.requireNonNull(pages.get(path), path);
    }

    private Documentation documentation() {
        return new Documentation(repository);
    }

    private Path prepare(String result) throws IOException {
        Files.createDirectories(repository.resolve("docs"));
        Files.writeString(repository.resolve("README.md"), PAGE);
        Path written = Files.createDirectories(repository.resolve("written"));
        Files.writeString(written.resolve("guard.json"), result);
        return written;
    }
}
