package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Plain technical English in the pages, and in the comments and messages of what users run: {@code vocabulary.txt} has the words
 * that are not used, {@code voice.txt} the turns of phrase, and no sentence is long. Pages that are generated are left out.
 */
class ProseTest {

    private static final int MOST_WORDS = 40;

    private static final List<String> GENERATED = List.of(
            "docs/research/README.md",
            "docs/research/cassandra.md",
            "docs/research/clicks.md",
            "docs/research/cuckoo-window.md",
            "docs/research/cuckoo.md");

    private static final List<String> MODULES = List.of("fbf-core-offheap", "db", "spring-starter", "sample-app");

    private static final String STRING = "\"(?:\\\\.|[^\"\\\\\n])*\"";

    /** A comment, a text block, or strings that are concatenated, in this order. */
    private static final Pattern CODE_TEXT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"\"\"(?:\\\\.|.)*?\"\"\"|"
            + STRING + "(?:\\s*\\+\\s*" + STRING + ")*|`(?:\\\\.|[^`\\\\])*`|'(?:\\\\.|[^'\\\\\n])+'");

    private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern MARKUP = Pattern.compile("(?s)<(?:script|style).*?</(?:script|style)>|<[^>]*>");

    private static final Pattern COMMENT_MARKS = Pattern.compile("(?m)^\\s*/?\\*+/? ?|\\*/$|^//");
    private static final Pattern FIGURES = Pattern.compile("(?s)<!-- figures.*?<!-- end of figures -->");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`|\\{@\\w+ [^}]*}|<pre>.*?</pre>", Pattern.DOTALL);
    private static final Pattern NOT_NEWLINE = Pattern.compile("[^\n]");
    private static final Pattern LINK_TARGET = Pattern.compile("]\\([^)]*\\)");

    /** What ends a sentence, or the part of a page or a comment that is none. */
    private static final Pattern END = Pattern.compile(
            "[.?!:]\\W*\\s+(?=\\W*[A-Z`\\d])|\n\\s*\n|\n *([-*]|\\d+\\.) |\\||\n#+ [^\n]*|@(param|return|throws)|</?(p|li|ul|ol)>|\n(?= *<!--)");

    /** Patterns, and what to write in place of what they find. */
    private static final Map<Pattern, String> VOCABULARY = new LinkedHashMap<>();

    private static final Map<Pattern, String> VOICE = new LinkedHashMap<>();

    @BeforeAll
    static void readRules() throws IOException {
        read("vocabulary.txt", "(?i)\\b(?:%s)(?![a-z-])", VOCABULARY);
        read("voice.txt", "%s", VOICE);
    }

    private static void read(String name, String pattern, Map<Pattern, String> rules) throws IOException {
        try (InputStream file = ProseTest.class.getResourceAsStream(name)) {
            new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split(" => "))
                    .forEach(rule -> rules.put(Pattern.compile(pattern.formatted(rule[0])), rule[1]));
        }
    }

    @Test
    void pagesUseTheVocabulary() {
        assertThat(found(VOCABULARY, pages())).isEmpty();
    }

    @Test
    void commentsAndMessagesUseTheVocabulary() throws IOException {
        assertThat(found(VOCABULARY, code())).isEmpty();
    }

    @Test
    void pagesAreReadOnce() {
        assertThat(found(VOICE, pages())).isEmpty();
    }

    @Test
    void commentsAndMessagesAreReadOnce() throws IOException {
        assertThat(found(VOICE, code())).isEmpty();
    }

    @Test
    void sentencesOfPagesAreShort() {
        assertThat(longSentences(pages())).isEmpty();
    }

    @Test
    void sentencesOfCommentsAndMessagesAreShort() throws IOException {
        assertThat(longSentences(code())).isEmpty();
    }

    @Test
    void wrongWordsAndLongSentencesAreFound() {
        List<Text> texts = List.of(
                Text.of("page", 1, "A server starts.\nIts key is Mistaken\nfor another. The log tells\nhow.", true),
                Text.of("page", 9, "one ".repeat(41), true));

        assertThat(found(VOCABULARY, texts)).singleElement().asString().startsWith("page:2 Mistaken => false positive");
        assertThat(found(VOICE, texts)).singleElement().asString().startsWith("page:3 tells how => report");
        assertThat(longSentences(texts)).singleElement().asString().startsWith("page:9 41 words");
        assertThat(longSentences(List.of(Text.of("page", 1, "one ".repeat(39) + "end. One more.", true))))
                .isEmpty();
        assertThat(textsOf(
                        "f.java",
                        "int a = 1; // one comment\nString s = \"one two\"\n+ \" three\"; /** Two\n * lines. */"))
                .extracting(text -> text.line + text.text)
                .containsExactly("1 one comment", "2one two\n three", "3Two\nlines. ");
        assertThat(textsOf("f.js", "tell(`one ${two} three four`)"))
                .extracting(Text::text)
                .containsExactly("one ${two} three four");
        assertThat(textsOf("f.html", "<p\nid=a>One <b>two</b> three.</p>"))
                .extracting(text -> text.line + text.text.strip())
                .containsExactly("1One  two  three.");
    }

    private static List<String> found(Map<Pattern, String> rules, List<Text> texts) {
        List<String> found = new ArrayList<>();
        for (Text text : texts) {
            rules.forEach((wrong, right) -> wrong.matcher(text.joined())
                    .results()
                    .forEach(word ->
                            found.add(text.at(word.start()) + " " + word.group().strip() + " => " + right)));
        }
        return found;
    }

    private static List<String> longSentences(List<Text> texts) {
        List<String> found = new ArrayList<>();
        for (Text text : texts.stream().filter(Text::sentences).toList()) {
            int from = 0;
            List<MatchResult> ends = END.matcher(text.text()).results().toList();
            for (int i = 0; i <= ends.size(); i++) {
                int to = i < ends.size() ? ends.get(i).start() : text.text().length();
                String sentence = text.text().substring(from, to).strip();
                long words = Arrays.stream(sentence.split("\\s+"))
                        .filter(word -> word.matches(".*\\p{L}.*"))
                        .count();
                if (words > MOST_WORDS) {
                    found.add(text.at(from) + " " + words + " words: " + sentence.replaceAll("\\s+", " "));
                }
                from = i < ends.size() ? ends.get(i).end() : to;
            }
        }
        return found;
    }

    private static List<Text> pages() {
        return Page.all().stream()
                .filter(page -> !GENERATED.contains(page.path()))
                .map(page -> Text.of(page.path(), 1, page.prose(), true))
                .toList();
    }

    private static List<Text> code() throws IOException {
        List<Text> texts = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(Page.REPOSITORY.resolve(module))) {
                for (Path file : files.filter(ProseTest::isOfUsers).toList()) {
                    texts.addAll(textsOf(Page.REPOSITORY.relativize(file).toString(), Files.readString(file)));
                }
            }
        }
        return texts;
    }

    private static boolean isOfUsers(Path file) {
        return file.toString().matches(".*/src/main/.*\\.(java|js|html)");
    }

    private static List<Text> textsOf(String file, String code) {
        if (file.endsWith(".html")) {
            return List.of(Text.of(file, 1, blank(MARKUP, code, " "), false));
        }
        return CODE_TEXT
                .matcher(code)
                .results()
                .filter(found -> found.group().startsWith("/") || found.group().split(" ").length > 2)
                .map(found -> Text.of(
                        file, lineAt(code, found.start()), withoutMarks(found.group()), isOfSentences(found.group())))
                .toList();
    }

    /** Puts a mark in place of what a pattern finds, and leaves each line where it was. */
    private static String blank(Pattern pattern, String text, String mark) {
        return pattern.matcher(text)
                .replaceAll(found -> mark + NOT_NEWLINE.matcher(found.group()).replaceAll(""));
    }

    private static boolean isOfSentences(String found) {
        return found.startsWith("/**") || found.startsWith("//") || !found.matches("(?s)(/\\*|\"\"\").*");
    }

    private static String withoutMarks(String comment) {
        return comment.startsWith("/")
                ? COMMENT_MARKS.matcher(comment).replaceAll("")
                : blank(CONCATENATION, comment, "").replaceAll("^[\"'`]+|[\"'`]+$", "");
    }

    private static int lineAt(String text, int position) {
        return 1
                + (int) text.substring(0, position)
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
    }

    /**
     * A text in a file.
     *
     * @param line where it begins
     * @param text without code, figures that are generated, and the targets of links; each line where it was
     * @param sentences whether it consists of sentences: a design block and a text block need not
     */
    private record Text(String file, int line, String text, boolean sentences) {

        static Text of(String file, int line, String text, boolean sentences) {
            String prose = text;
            for (Pattern pattern : List.of(FIGURES, CODE, LINK_TARGET)) {
                prose = blank(pattern, prose, "`");
            }
            return new Text(file, line, prose, sentences);
        }

        /** The text in one line; each character stays at its position. */
        String joined() {
            return text.replace('\n', ' ');
        }

        String at(int position) {
            return file + ":" + (line + lineAt(text, position) - 1);
        }
    }
}
