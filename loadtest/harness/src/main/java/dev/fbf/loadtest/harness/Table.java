package dev.fbf.loadtest.harness;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table: what each column shows of a row. */
public final class Table<R> {

    private final List<R> rows;
    private final List<Column<R>> columns = new ArrayList<>();

    private record Column<R>(String title, boolean isNumber, Function<? super R, String> cell) {}

    private Table(List<R> rows) {
        this.rows = rows;
    }

    public static <R> Table<R> of(Collection<? extends R> rows) {
        return new Table<>(List.copyOf(rows));
    }

    public Table<R> text(String title, Function<? super R, ?> value) {
        columns.add(new Column<>(title, false, row -> String.valueOf(value.apply(row))));
        return this;
    }

    /** Adds a column that is aligned at its right. */
    public Table<R> number(String title, String format, Function<? super R, ?> value) {
        columns.add(new Column<>(title, true, row -> format(format, value.apply(row))));
        return this;
    }

    /** As a page has it. */
    public String markdown() {
        StringBuilder text = new StringBuilder(markdown(titles()));
        text.append(markdown(
                columns.stream().map(column -> column.isNumber ? "--:" : "---").toList()));
        rows.forEach(row -> text.append(markdown(cells(row))));
        return text.toString();
    }

    private static String markdown(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    public String csv() {
        StringBuilder text = new StringBuilder(String.join(",", titles())).append('\n');
        rows.forEach(row -> text.append(String.join(",", cells(row))).append('\n'));
        return text.toString();
    }

    /** As a terminal shows it: each column as wide as it must be. */
    @Override
    public String toString() {
        List<List<String>> lines = new ArrayList<>(List.of(titles()));
        rows.forEach(row -> lines.add(cells(row)));
        int[] widths = IntStream.range(0, columns.size())
                .map(i -> lines.stream()
                        .mapToInt(line -> line.get(i).length())
                        .max()
                        .orElse(0))
                .toArray();
        return lines.stream()
                .map(line -> line(line, widths).stripTrailing() + "\n")
                .collect(Collectors.joining());
    }

    private String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String blanks = " ".repeat(widths[i] - cells.get(i).length());
            line.append("  ").append(columns.get(i).isNumber ? blanks + cells.get(i) : cells.get(i) + blanks);
        }
        return line.toString();
    }

    private List<String> titles() {
        return columns.stream().map(Column::title).toList();
    }

    private List<String> cells(R row) {
        return columns.stream().map(column -> column.cell.apply(row)).toList();
    }

    /** As {@link String#format}, the same everywhere. */
    public static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
