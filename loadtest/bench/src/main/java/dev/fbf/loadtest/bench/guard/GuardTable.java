package dev.fbf.loadtest.bench.guard;

import java.util.Locale;

/** A report for people: a table for each workload, the targets come after it. */
final class GuardTable {

    private final StringBuilder text = new StringBuilder();

    private GuardTable() {}

    static String of(GuardReport report) {
        GuardTable table = new GuardTable();
        table.line("");
        table.line("  for each request: processor time in µs, transactions that wrote,");
        table.line("  bytes of the write-ahead log, bytes by which the tables grew; error of the counters so far");
        report.results().forEach(table::add);
        table.line("");
        for (GuardContender contender : GuardContender.values()) {
            table.line("  %-15s %s", contender, contender.description());
        }
        return table.text.toString();
    }

    private void add(GuardReport.Result result) {
        line("");
        line(
                "  %s: %s, %.0f %% retries",
                result.workload(),
                result.workload().description(),
                result.workload().retries() * 100);
        line(
                "  %-15s %9s   %-17s %7s %7s %8s %7s %7s %6s %6s %6s %7s",
                "",
                "median/s",
                "slowest … fastest",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "client",
                "server",
                "tx",
                "WAL",
                "table",
                "error");
        for (GuardContender contender : GuardContender.values()) {
            result.summaries().stream()
                    .filter(summary -> summary.contender() == contender)
                    .findFirst()
                    .ifPresentOrElse(this::add, () -> line("  %-15s %9s", contender, "-"));
        }
        for (GuardReport.Ratio ratio : result.ratios()) {
            line(
                    "    %-40s %6.2f   (of single rounds %.2f … %.2f)   processor time %.2f",
                    ratio.name(), ratio.ofMedians(), ratio.lowest(), ratio.highest(), ratio.processor());
        }
    }

    private void add(GuardReport.Summary summary) {
        line(
                "  %-15s %9.0f   %7.0f … %-7.0f %7.2f %7.2f %8.2f %7.0f %7.0f %6.2f %6.0f %6.0f %+6.1f%%",
                summary.contender(),
                summary.perSecond(),
                summary.slowest(),
                summary.fastest(),
                summary.p50Micros() / 1e3,
                summary.p99Micros() / 1e3,
                summary.p999Micros() / 1e3,
                summary.clientMicros(),
                summary.serverMicros(),
                summary.transactions(),
                summary.walBytes(),
                summary.tableBytes(),
                summary.accuracy().error() * 100);
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
