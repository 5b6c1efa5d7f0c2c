package dev.fbf.loadtest.harness.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The links of all pages that lead to others, or to headings. */
class LinksTest {

    private static final Path REPOSITORY = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void eachLinkLeadsToAFileAndAHeadingOfIt() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            for (String target : targets(page)) {
                if (!leadsSomewhere(page, target)) {
                    broken.add(REPOSITORY.relativize(page) + ": " + target);
                }
            }
        }

        assertThat(broken).isEmpty();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(REPOSITORY);
                Stream<Path> docs = Files.walk(REPOSITORY.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> targets(Path page) throws IOException {
        return LINK.matcher(text(page))
                .results()
                .map(link -> link.group(1))
                .filter(target -> !target.contains("://"))
                .toList();
    }

    private static boolean leadsSomewhere(Path page, String target) throws IOException {
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return Files.exists(file) && (parts.length == 1 || headings(file).contains(parts[1]));
    }

    /** As GitHub names them. */
    private static Set<String> headings(Path page) throws IOException {
        return HEADING.matcher(text(page))
                .results()
                .map((MatchResult heading) -> heading.group(1)
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static String text(Path page) throws IOException {
        return CODE.matcher(Files.readString(page)).replaceAll("");
    }
}
