package dev.fbf.loadtest.soak;

import java.util.List;
import java.util.Locale;

/** The report for people to read. */
final class SoakTable {

    private static final int MOST_ROWS = 40;

    private SoakTable() {}

    static String of(SoakReport report, List<Sample> samples) {
        StringBuilder text = new StringBuilder();
        SoakParameters parameters = report.parameters();
        SoakReport.Rates rates = report.rates();
        add(
                text,
                "%n  Soak of %.1f minutes: %,.0f requests a second at most; %,.0f operations a second"
                        + " in turn with %,.0f; retry window %.0f s, planned for %,.0f a second%n%n",
                parameters.duration().toMillis() / 60e3,
                rates.capacity(),
                rates.high(),
                rates.low(),
                parameters.retryWindow().toMillis() / 1e3,
                rates.planned());
        add(
                text,
                "  %7s %5s %7s %9s %8s %8s %8s %8s %7s %6s %9s %9s %5s %7s%n",
                "s",
                "load",
                "req/s",
                "p99 ms",
                "RSS MiB",
                "anon MiB",
                "live MiB",
                "filt MiB",
                "arenas",
                "fill",
                "est. FPP",
                "refreshes",
                "grown",
                "shrunk");
        int step = 1 + (samples.size() - 1) / MOST_ROWS;
        for (int i = 0; i < samples.size(); i += step) {
            Sample sample = samples.get(i);
            add(
                    text,
                    "  %7.0f %5s %,7.0f %9.2f %8.1f %8.1f %8.1f %8.2f %7d %6.3f %9.1e %9d %5d %7d%n",
                    sample.seconds(),
                    sample.loud() ? "high" : "low",
                    sample.requestsPerSecond(),
                    sample.p99Millis(),
                    sample.residentMebibytes(),
                    sample.anonymousMebibytes(),
                    sample.liveMebibytes(),
                    sample.filterMebibytes(),
                    sample.arenas(),
                    sample.fill(),
                    sample.estimatedFpp(),
                    sample.refreshes(),
                    sample.growths(),
                    sample.shrinks());
        }
        add(text, "%n");
        report.endpoints()
                .forEach((endpoint, count) -> add(
                        text,
                        "  %s: %,d operations acknowledged, %,d not, %,d counted: drift %+d%n",
                        endpoint,
                        count.acknowledged(),
                        count.unacknowledged(),
                        count.counter(),
                        count.drift()));
        report.filters()
                .forEach((scope, filter) -> add(
                        text,
                        "  filter of %s: %,d refreshes, grew %d times, shrank %d times; highest estimated FPP %.1e, target %.1e%n",
                        scope,
                        filter.refreshes(),
                        filter.growths(),
                        filter.shrinks(),
                        filter.highestFpp(),
                        filter.targetFpp()));
        memory(text, "resident memory", report.resident());
        memory(text, "of it anonymous", report.anonymous());
        memory(text, "objects in use", report.live());
        if (!report.missedLooks().isEmpty()) {
            add(text, "  looks at the app that failed: %s%n", report.missedLooks());
        }
        return text.toString();
    }

    private static void memory(StringBuilder text, String what, SoakReport.Memory memory) {
        add(
                text,
                "  %s in the second half: %.1f MiB, %+.1f MiB an hour%n",
                what,
                memory.mebibytes(),
                memory.slopePerHour());
    }

    private static void add(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }
}
