package dev.fbf.loadtest.paper;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rows of text under a header. */
final class Table {

    private final String title;
    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    Table(String title, String... header) {
        this.title = title;
        this.header = List.of(header);
    }

    Table row(Object... cells) {
        if (cells.length != header.size()) {
            throw new IllegalArgumentException("cells=" + cells.length + ": must be " + header.size());
        }
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell instanceof Double number ? Digits.data(number) : String.valueOf(cell));
        }
        rows.add(row);
        return this;
    }

    String title() {
        return title;
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        line(text, header);
        line(text, Collections.nCopies(header.size(), "---"));
        rows.forEach(row -> line(text, row));
        return text.toString();
    }

    String csv() {
        StringBuilder text = new StringBuilder(String.join(",", header)).append('\n');
        rows.forEach(row -> text.append(String.join(",", row)).append('\n'));
        return text.toString();
    }

    private static void line(StringBuilder text, List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
