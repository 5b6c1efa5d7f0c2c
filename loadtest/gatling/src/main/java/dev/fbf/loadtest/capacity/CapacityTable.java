package dev.fbf.loadtest.capacity;

import java.util.Locale;

/** The report for people to read. */
final class CapacityTable {

    /** From here on a machine counts as busy: nobody gets the whole of it. */
    private static final double BUSY = 0.9;

    private CapacityTable() {}

    static String of(CapacityReport report) {
        CapacityParameters parameters = report.parameters();
        StringBuilder text = new StringBuilder();
        add(
                text,
                "%n  Everybody views one page: %d users, %.0f %% of the operations sent twice, medians of %d rounds of %.0f s%n%n",
                parameters.users(),
                100 * parameters.retries(),
                parameters.rounds(),
                parameters.measured().toMillis() / 1e3);
        add(
                text,
                "  %-17s %8s %17s %6s %9s %9s %9s %9s%n",
                "",
                "req/s",
                "lowest – highest",
                "ratio",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "error %");
        for (CapacityReport.Row row : report.rows()) {
            add(
                    text,
                    "  %-17s %,8.0f %,8.0f –%,7.0f %6.2f %9.2f %9.2f %9.2f %+9.3f%n",
                    row.contender(),
                    row.requestsPerSecond(),
                    row.lowest(),
                    row.highest(),
                    report.ratio(row),
                    row.p50Millis(),
                    row.p99Millis(),
                    row.p999Millis(),
                    row.errorPercent());
        }
        add(
                text,
                "%n  %-17s %27s %7s %6s   %-32s%n",
                "",
                "µs of processor a request",
                "cores",
                "all",
                "PostgreSQL's backends, on average");
        add(
                text,
                "  %-17s %8s %8s %9s %7s %6s %8s %8s %8s   %s%n",
                "",
                "Gatling",
                "app",
                "database",
                "used",
                "busy",
                "running",
                "lock",
                "disk",
                "limited by");
        for (CapacityReport.Row row : report.rows()) {
            add(
                    text,
                    "  %-17s %8.0f %8.0f %9.0f %7.2f %4.0f %% %8.2f %8.2f %8.2f   %s%n",
                    row.contender(),
                    row.microsPerRequest().gatling(),
                    row.microsPerRequest().app(),
                    row.microsPerRequest().postgres(),
                    row.coresUsed(),
                    100 * row.machineLoad(),
                    row.waiting("running"),
                    row.waiting("Lock"),
                    disk(row),
                    limit(row));
        }
        return text.toString();
    }

    /** WAL that others are writing is waited for as a lightweight lock. */
    private static double disk(CapacityReport.Row row) {
        return row.waiting("IO") + row.waiting("LWLock/WALWrite");
    }

    private static String limit(CapacityReport.Row row) {
        if (row.machineLoad() >= BUSY) {
            return "the processor";
        }
        return row.waiting("Lock") > 1 ? "the row's lock" : "the disk";
    }

    private static void add(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }
}
