package dev.fbf.loadtest;

import java.util.Locale;
import java.util.function.Function;

/** A report for people to read. */
final class ReportTable {

    private static final String ROW = "  %-34s %14s %14s %14s%n";

    private final Report report;
    private final StringBuilder text = new StringBuilder();

    private ReportTable(Report report) {
        this.report = report;
    }

    static String of(Report report) {
        return new ReportTable(report).render();
    }

    private String render() {
        line("%n" + ROW, "", Endpoint.GUARDED, Endpoint.UNGUARDED, Endpoint.GROUPED);
        count("distinct operations", row -> row.faults().operations());
        count("requests sent", row -> row.faults().sent());
        for (Cause cause : Cause.values()) {
            count("  retries: " + cause, row -> row.faults().resent().getOrDefault(cause, 0L));
        }
        count("expected value", Report.Row::expected);
        count("counter value", Report.Row::counter);
        row("error", row -> format("%+.2f %%", row.errorPercent()));
        millis("p50 without faults", row -> row.noFaults().p50Millis());
        millis("p99 without faults", row -> row.noFaults().p99Millis());
        millis("p50 under faults", row -> row.faults().p50Millis());
        millis("p99 under faults", row -> row.faults().p99Millis());
        Report.Row unguarded = report.row(Endpoint.UNGUARDED);
        line(
                "%n  %,d of the %,d requests to the unguarded endpoint reached its SQL: its counter counts them.%n",
                unguarded.counter(), unguarded.faults().sent());
        report.ratio().forEach((endpoint, ratio) -> {
            if (endpoint != Endpoint.UNGUARDED) {
                line("  p50 %s / p50 unguarded, without faults: %.2f%n", endpoint, ratio);
            }
        });
        return text.toString();
    }

    private void count(String title, Function<Report.Row, Long> value) {
        row(title, row -> format("%,d", value.apply(row)));
    }

    private void millis(String title, Function<Report.Row, Double> value) {
        row(title, row -> format("%.3f ms", value.apply(row)));
    }

    private void row(String title, Function<Report.Row, String> value) {
        line(
                ROW,
                title,
                value.apply(report.row(Endpoint.GUARDED)),
                value.apply(report.row(Endpoint.UNGUARDED)),
                value.apply(report.row(Endpoint.GROUPED)));
    }

    private void line(String format, Object... values) {
        text.append(format(format, values));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
