package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The links of all pages that lead to others, or to headings. */
class LinksTest {

    private static final Path REPOSITORY = Path.of("..");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern EXTERNAL = Pattern.compile("[(<](\\w+://[^)>\\s]+)[)>]");
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

    @Test
    void eachPageIsReachedFromTheReadme() throws IOException {
        Set<Path> reached = new TreeSet<>();
        Deque<Path> next = new ArrayDeque<>(List.of(REPOSITORY.resolve("README.md")));
        while (!next.isEmpty()) {
            Path page = next.pop();
            if (page.toString().endsWith(".md") && reached.add(page)) {
                for (String target : targets(page)) {
                    next.add(file(page, target));
                }
            }
        }

        assertThat(pages())
                .hasSizeGreaterThan(20)
                .filteredOn(page -> !reached.contains(page))
                .isEmpty();
    }

    /** To be run by hand: {@code -Dlinks.external=true}. No other test of the build leaves this machine. */
    @Test
    void eachLinkToAnotherSiteIsAnswered() throws Exception {
        assumeThat(Boolean.getBoolean("links.external")).as("links.external").isTrue();
        HttpClient http = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        for (URI uri : external()) {
            assertThat(http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .as("%s", uri)
                    .isEqualTo(200);
        }
    }

    @Test
    void eachLinkToAnotherSiteIsEncrypted() throws IOException {
        assertThat(external()).hasSizeGreaterThan(2).allSatisfy(uri -> {
            assertThat(uri.getScheme()).as("%s", uri).isEqualTo("https");
            assertThat(uri.getHost()).as("%s", uri).contains(".");
        });
    }

    private static Set<URI> external() throws IOException {
        Set<URI> found = new TreeSet<>();
        for (Path page : pages()) {
            EXTERNAL.matcher(text(page)).results().forEach(link -> found.add(URI.create(link.group(1))));
        }
        return found;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(REPOSITORY);
                Stream<Path> docs = Files.walk(REPOSITORY.resolve("docs"));
                Stream<Path> sample = Files.list(REPOSITORY.resolve("sample-app"))) {
            return Stream.concat(top, Stream.concat(docs, sample))
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

    static boolean leadsSomewhere(Path page, String target) throws IOException {
        String[] parts = target.split("#", 2);
        Path file = file(page, target);
        return Files.exists(file) && (parts.length == 1 || headings(file).contains(parts[1]));
    }

    private static Path file(Path page, String target) {
        String path = target.split("#", 2)[0];
        return path.isEmpty() ? page : page.resolveSibling(path).normalize();
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
