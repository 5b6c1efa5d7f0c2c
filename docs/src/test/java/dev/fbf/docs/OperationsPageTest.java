package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each log line at INFO and above, and each failed start, has its line on the page for operators. */
class OperationsPageTest {

    private static final Pattern LOGGED = Pattern.compile(
            "\\blog(?:ger)?\\s*\\.(?:(?:info|warn|error)\\(|at(?:Info|Warn|Error|Level)\\([^;]*?\\.log\\()");
    private static final Pattern FAILED =
            Pattern.compile("\\bnew (?:StorageException|StartException|FailureAnalysis)\\(");

    /** A string, or what stands between strings in an argument. */
    private static final Pattern TOKEN = Pattern.compile("\"((?:\\\\.|[^\"\\\\])*)\"|[(),]|[^\"(),]+");

    private static final Pattern LINE = Pattern.compile("(?<![\\w*])\\*([^*|\n]+)\\*(?![\\w*])");
    private static final String ANY = "…";

    private final List<Pattern> lines = LINE.matcher(
                    Page.of("docs/operations.md").text())
            .results()
            .map(line -> pattern(line.group(1)))
            .toList();

    @Test
    void eachLogLineIsOnThePage() throws IOException {
        List<String> logged = texts(LOGGED);

        assertThat(logged)
                .hasSizeGreaterThan(40)
                .filteredOn(text -> !isOnPage(text))
                .isEmpty();
    }

    @Test
    void eachFailedStartIsOnThePage() throws IOException {
        List<String> failed = texts(FAILED);

        assertThat(failed)
                .hasSizeGreaterThan(30)
                .filteredOn(text -> !isOnPage(text))
                .isEmpty();
    }

    @Test
    void eachLineOnThePageIsInTheCode() throws IOException {
        List<String> sources = sources().stream()
                .map(code -> code.replaceAll("\"\\s*\\+\\s*\"", ""))
                .toList();
        String page = Page.of("docs/operations.md").text();
        String ours = page.replaceAll("(?s)### In PostgreSQL's log.*?\n## ", "");

        assertThat(LINE.matcher(ours).results().map(line -> line.group(1)))
                .hasSizeGreaterThan(80)
                .filteredOn(line -> !parts(line).allMatch(part -> isIn(sources, part)))
                .isEmpty();
        assertThat(Pattern.compile("\"(fbf: [^,\"]+)").matcher(page).results().map(text -> text.group(1)))
                .isNotEmpty()
                .allMatch(text -> isIn(sources, text));
    }

    private static boolean isIn(List<String> sources, String text) {
        return sources.stream().anyMatch(source -> source.contains(text));
    }

    private static Stream<String> parts(String line) {
        return Arrays.stream(line.split(ANY)).map(String::strip).filter(part -> part.length() > 1);
    }

    @Test
    void theTextOfACallIsItsFirstArgument() {
        assertThat(texts(LOGGED, "log.warn(\"One two {} three\" + (a, b) + \"four.\", x); log.debug(\"five six\");"))
                .containsExactly("One two … three…four.");
        assertThat(texts(LOGGED, "log.atInfo().addKeyValue(\"a\", b)\n.log(\"Five six %s seven\");"))
                .containsExactly("Five six … seven");
        assertThat(pattern("One … three").matcher("One two … three…four.").find())
                .isTrue();
        assertThat(pattern("Other").matcher("One two … three…four.").find()).isFalse();
    }

    private boolean isOnPage(String text) {
        return lines.stream().anyMatch(line -> line.matcher(text).find());
    }

    private static Pattern pattern(String line) {
        return Pattern.compile(
                Arrays.stream(line.split(ANY)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    private static List<String> texts(Pattern call) throws IOException {
        List<String> texts = new ArrayList<>();
        sources().forEach(source -> texts.addAll(texts(call, source)));
        return texts;
    }

    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (String module : List.of("fbf-core-offheap", "db", "spring-starter")) {
            try (Stream<Path> files = Files.walk(Page.REPOSITORY.resolve(module))) {
                for (Path file : files.filter(f -> f.toString().matches(".*/src/main/.*\\.java"))
                        .toList()) {
                    sources.add(Files.readString(file));
                }
            }
        }
        return sources;
    }

    /** The first arguments with at least two words of their own; a variable has its text somewhere else. */
    private static List<String> texts(Pattern call, String code) {
        return call.matcher(code)
                .results()
                .map(found -> firstArgument(code.substring(found.end())))
                .filter(text ->
                        Pattern.compile("\\w+[^\\w…]+\\w+").matcher(text).find())
                .toList();
    }

    private static String firstArgument(String code) {
        StringBuilder text = new StringBuilder();
        int depth = 0;
        for (var token = TOKEN.matcher(code); token.find() && depth >= 0; ) {
            if (token.group(1) != null && depth == 0) {
                text.append(token.group(1).replaceAll("\\{}|%,?[sd]", ANY));
            } else if (token.group().equals("(")) {
                depth++;
            } else if (token.group().equals(")")) {
                depth--;
            } else if (token.group().equals(",") && depth == 0) {
                break;
            } else if (token.group().matches("(?s).*\\w.*") && !text.toString().endsWith(ANY)) {
                text.append(ANY);
            }
        }
        return text.toString();
    }
}
