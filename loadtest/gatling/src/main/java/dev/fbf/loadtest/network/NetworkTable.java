package dev.fbf.loadtest.network;

import dev.fbf.loadtest.Endpoint;
import java.util.Arrays;
import java.util.Locale;

/** The report for people to read: the paper's figure 17 as a table. */
final class NetworkTable {

    private NetworkTable() {}

    static String of(NetworkReport report) {
        NetworkParameters parameters = report.parameters();
        StringBuilder text = new StringBuilder();
        add(
                text,
                "%n  Counting over a bad network (figure 17): %,d operations for each, %.0f a second, sent again after %d ms,"
                        + " seed %d%n%n",
                parameters.operations(),
                parameters.rate(),
                parameters.giveUpAfter().toMillis(),
                parameters.seed());
        add(text, "  %6s %8s   %-27s %-38s%n", "", "", "requests for an operation", "error of the counter");
        add(text, "  %6s %8s  %s  %s%n", "loss", "delay", titles(9), titles(13));
        for (NetworkReport.Row row : report.rows()) {
            add(text, "  %4.1f %% %5d ms", 100 * row.loss(), row.delayMillis());
            add(text, "  ");
            for (Endpoint endpoint : Endpoint.values()) {
                add(text, " %9.3f", row.of(endpoint).requestsPerOperation());
            }
            add(text, "  ");
            for (Endpoint endpoint : Endpoint.values()) {
                add(text, " %+11.2f %%", row.of(endpoint).errorPercent());
            }
            add(text, "%n");
        }
        double unguarded = report.rows().stream()
                .mapToDouble(row -> row.of(Endpoint.UNGUARDED).errorPercent())
                .average()
                .orElse(0);
        add(text, "%n  average error without the guard: %+.2f %%%n", unguarded);
        return text.toString();
    }

    private static String titles(int width) {
        return Arrays.stream(Endpoint.values())
                .map(endpoint -> String.format(Locale.ROOT, " %" + width + "s", endpoint))
                .reduce("", String::concat);
    }

    private static void add(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }
}
