package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that SECURITY.md names. */
class SecurityPageTest {

    private static final Pattern TEST = Pattern.compile("(\\w+Test)\\.(\\w+)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (?!---|Asset).*$");

    private final Page page = Page.of("SECURITY.md");

    @Test
    void eachLineOfTheTableNamesATest() {
        assertThat(ROW.matcher(page.text()).results().map(row -> row.group()))
                .hasSizeGreaterThan(10)
                .allMatch(row -> TEST.matcher(row).find());
    }

    @Test
    void eachTestIsThere() throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(Page.REPOSITORY)) {
            sources =
                    files.filter(file -> file.toString().endsWith("Test.java")).toList();
        }
        assertThat(TEST.matcher(page.text()).results())
                .isNotEmpty()
                .allSatisfy(test -> assertThat(sources)
                        .filteredOn(file -> file.endsWith(test.group(1) + ".java"))
                        .as(test.group())
                        .singleElement()
                        .satisfies(file -> assertThat(Files.readString(file)).contains("void " + test.group(2) + "(")));
    }
}
