package dev.fbf.loadtest.harness.pages;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTest {

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
