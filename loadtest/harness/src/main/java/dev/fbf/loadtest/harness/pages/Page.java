package dev.fbf.loadtest.harness.pages;

import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of Markdown with blocks of figures. */
record Page(String text) {

    private static final String BEGIN = "<!-- figures: ";
    private static final String END = "<!-- end of figures -->";
    private static final Pattern BLOCK =
            Pattern.compile("(?s)" + BEGIN + "([a-z-]+)/([A-Za-z-]+) -->\n((?:(?!" + BEGIN + ").)*?)" + END);

    /** A block of figures. */
    record Block(String run, String figures, String content) {

        private static final String NOT_GENERATED = "<!-- not generated yet: there is no result of a full run -->";

        private static Block of(MatchResult found) {
            return new Block(found.group(1), found.group(2), found.group(3));
        }

        String name() {
            return run + "/" + figures;
        }

        boolean isMarkedNotGenerated() {
            return content.startsWith(NOT_GENERATED);
        }

        @Override
        public String toString() {
            return name();
        }
    }

    /**
     * Checks that each block has its two comments, each at the begin of a line.
     *
     * @throws IllegalArgumentException if one has not
     */
    Page {
        int blocks = (int) BLOCK.matcher(text).results().count();
        if (occurrences(text, BEGIN) != blocks || occurrences(text, END) != blocks) {
            throw new IllegalArgumentException(
                    "of the comments \"" + BEGIN + "run/name -->\" and \"" + END + "\" some are not in pairs");
        }
    }

    private static int occurrences(String text, String part) {
        return (int)
                Pattern.compile(part, Pattern.LITERAL).matcher(text).results().count();
    }

    List<Block> blocks() {
        return BLOCK.matcher(text).results().map(Block::of).toList();
    }

    /** The page with other contents of its blocks. */
    Page with(Function<Block, String> contents) {
        return new Page(BLOCK.matcher(text).replaceAll(found -> {
            Block block = Block.of(found);
            return Matcher.quoteReplacement(BEGIN + block.name() + " -->\n" + contents.apply(block) + END);
        }));
    }

    /** The page without its blocks. */
    String outsideBlocks() {
        return BLOCK.matcher(text).replaceAll("");
    }
}
