package dev.fbf.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documentation.
 *
 * @param path where it is in the repository
 */
record Page(String path, String text) {

    static final Path REPOSITORY = Path.of("..");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(\\S*)\n(.*?)^ *```$");
    private static final Pattern INLINE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern NOT_NEWLINE = Pattern.compile("[^\n]");

    /** All pages: those at the top of the repository, and those under docs. */
    static List<Page> all() {
        Map<String, Page> pages = new TreeMap<>();
        try (Stream<Path> top = Files.list(REPOSITORY);
                Stream<Path> docs = Files.walk(Path.of(""))) {
            Stream.concat(top, docs.map(Path.of("../docs")::resolve).map(Path::normalize))
                    .filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("target"))
                    .map(REPOSITORY::relativize)
                    .forEach(file -> pages.put(file.toString(), of(file.toString())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(pages.values());
    }

    static Page of(String path) {
        try {
            return new Page(path, Files.readString(REPOSITORY.resolve(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The fenced blocks. */
    List<Code> blocks() {
        return BLOCK.matcher(text)
                .results()
                .map(block -> code(block.start(), block.group(1), block.group(2)))
                .toList();
    }

    /** What is in code font in a line. */
    List<Code> inline() {
        return INLINE.matcher(prose())
                .results()
                .map(code -> code(code.start(), "", code.group(1)))
                .toList();
    }

    /** The text with empty lines where the blocks are. */
    String prose() {
        return BLOCK.matcher(text)
                .replaceAll((MatchResult block) ->
                        NOT_NEWLINE.matcher(block.group()).replaceAll(""));
    }

    private Code code(int start, String language, String content) {
        long line = 1 + text.substring(0, start).chars().filter(c -> c == '\n').count();
        return new Code(this, line, language, content);
    }

    /**
     * Code on a page.
     *
     * @param language of a fenced block, empty if it names none
     */
    record Code(Page page, long line, String language, String text) {

        @Override
        public String toString() {
            return page.path + ":" + line + (language.isEmpty() ? " " + text.strip() : " " + language);
        }
    }
}
