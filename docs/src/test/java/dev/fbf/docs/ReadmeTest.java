package dev.fbf.docs;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A README that one reads in a minute, and short pages. */
class ReadmeTest {

    private static final Pattern WORD = Pattern.compile(".*[\\p{L}\\p{N}].*");

    private final String text = Page.of("README.md").text();

    @Test
    void codeComesFirst() {
        assertThat(words(text.substring(0, text.indexOf("```")))).isBetween(10L, 40L);
    }

    @Test
    void theDependencyComesSoon() {
        assertThat(words(text.substring(0, text.indexOf("<dependency>")))).isBetween(10L, 60L);
    }

    @Test
    void itIsShort() {
        assertThat(words(text)).isLessThanOrEqualTo(650);
    }

    /** Limits the length of the pages: nothing is said twice. */
    @Test
    void theOtherPagesOfUsersAreShortToo() {
        Map<String, Long> pages = Page.all().stream()
                .filter(page -> page.path().matches("docs/[^/]+"))
                .collect(toMap(Page::path, page -> words(page.text())));

        assertThat(pages).hasSizeGreaterThan(15);
        assertThat(pages.values().stream().mapToLong(Long::longValue).sum()).isLessThanOrEqualTo(12_000);
        pages.remove("docs/operations.md"); // a reference
        assertThat(pages.values()).allMatch(words -> words <= 1_250);
    }

    @Test
    void theExampleHasFiveLines() {
        assertThat(Page.of("README.md").blocks())
                .filteredOn(block -> block.language().equals("java"))
                .singleElement()
                .satisfies(block -> assertThat(block.text().lines()).hasSize(5));
    }

    /** What stands between spaces and has a letter or a digit, in code and in tables too. */
    private static long words(String text) {
        return Arrays.stream(text.split("\\s+"))
                .filter(word -> WORD.matcher(word).matches())
                .count();
    }
}
