package dev.fbf.loadtest.harness.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTest {

    private static final Page PAGE = new Page("""
            One.
            <!-- figures: guard/HOT -->
            | 8.6 |
            <!-- end of figures -->
            Two.
            <!-- figures: loadtest-network/errors -->
            <!-- end of figures -->
            Three.
            """);

    @Test
    void findsItsBlocks() {
        assertThat(PAGE.blocks())
                .containsExactly(
                        new Page.Block("guard", "HOT", "| 8.6 |\n"), new Page.Block("loadtest-network", "errors", ""));
    }

    @Test
    void replacesContentsAlone() {
        assertThat(PAGE.with(Page.Block::content)).isEqualTo(PAGE);
        assertThat(PAGE.with(block -> "$1 of " + block + "\n").text())
                .contains("One.\n<!-- figures: guard/HOT -->\n$1 of guard/HOT\n<!-- end of figures -->\nTwo.\n");
        assertThat(PAGE.outsideBlocks()).isEqualTo("One.\n\nTwo.\n\nThree.\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!-- figures: guard/HOT -->\n| 8.6 |\n",
                "| 8.6 |\n<!-- end of figures -->\n",
                "<!-- figures: guard/HOT -->\n<!-- figures: guard/ROWS -->\n<!-- end of figures -->\n",
                "<!-- figures: guard -->\n<!-- end of figures -->\n"
            })
    void refusesCommentsThatAreNotInPairs(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Page(text));
    }
}
