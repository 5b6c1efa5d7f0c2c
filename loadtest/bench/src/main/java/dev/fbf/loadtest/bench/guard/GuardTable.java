package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Medians;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** A report for people: a table for each workload, and the targets last. */
final class GuardTable {

    private final StringBuilder text = new StringBuilder();

    private GuardTable() {}

    static String of(GuardReport report) {
        GuardTable table = new GuardTable();
        table.line("");
        table.line("  fbf guard benchmark, %s", report.environment());
        table.line(
                "  %d threads and connections, %d rounds; for each request: processor time in µs, transactions that wrote,",
                report.threads(), report.rounds());
        table.line("  bytes of the write-ahead log, bytes by which the tables grew; error of the counters so far");
        report.results().forEach(table::add);
        table.line("");
        for (GuardContender contender : GuardContender.values()) {
            table.line("  %-15s %s", contender, contender.description());
        }
        table.addTargets(report);
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

    private void addTargets(GuardReport report) {
        line("");
        line("  %-12s %-40s %8s %8s   %s", "workload", "target", "wanted", "median", "lowest … highest round");
        for (GuardReport.Result result : report.results()) {
            for (GuardReport.Ratio ratio : result.ratios()) {
                if (ratio.target() != null) {
                    line(
                            "  %-12s %-40s %8s %8.2f   %8.2f … %-8.2f  %s",
                            result.workload(),
                            ratio.name(),
                            ratio.target(),
                            ratio.ofMedians(),
                            ratio.lowest(),
                            ratio.highest(),
                            verdict(Boolean.TRUE.equals(ratio.met())));
                }
            }
        }
        for (GuardContender contender : GuardContender.values()) {
            if (contender.isGuarded()) {
                addError(report, contender);
            }
        }
    }

    private void addError(GuardReport report, GuardContender contender) {
        List<Double> errors = report.results().stream()
                .flatMap(result -> result.summaries().stream())
                .filter(summary -> summary.contender() == contender)
                .map(summary -> summary.accuracy().error())
                .toList();
        String name = "error of " + contender;
        if (errors.isEmpty()) {
            line("  %-12s %-40s %8s %8s", "all", name, "= 0", "-");
        } else {
            line(
                    "  %-12s %-40s %8s %7.2f%%   %7.2f%% … %-8s  %s",
                    "all",
                    name,
                    "= 0",
                    Medians.of(errors) * 100,
                    Collections.min(errors) * 100,
                    String.format(Locale.ROOT, "%.2f%%", Collections.max(errors) * 100),
                    verdict(!report.wrong().contains(contender)));
        }
    }

    private static String verdict(boolean met) {
        return met ? "met" : "MISSED";
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
