package dev.fbf.loadtest.harness.pages;

/** A table of Markdown. */
final class Table {

    private final StringBuilder text = new StringBuilder();

    /** @param alignment of each column: {@code l} for left, {@code r} for right */
    Table(String alignment, String... headers) {
        row(headers);
        row(alignment.chars().mapToObj(column -> column == 'r' ? "--:" : "---").toArray(String[]::new));
    }

    void row(String... cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
