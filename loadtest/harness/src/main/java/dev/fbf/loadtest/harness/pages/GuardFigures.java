package dev.fbf.loadtest.harness.pages;

import static dev.fbf.loadtest.harness.pages.Figures.format;
import static dev.fbf.loadtest.harness.pages.Figures.is;
import static dev.fbf.loadtest.harness.pages.Figures.number;
import static dev.fbf.loadtest.harness.pages.Figures.only;
import static dev.fbf.loadtest.harness.pages.Figures.stream;

import tools.jackson.databind.JsonNode;

/** What pages show of the run {@code guard}. */
final class GuardFigures {

    private GuardFigures() {}

    static String inShort(JsonNode result) {
        Table table = new Table("ll", "", "");
        table.row(
                "Counting on one hot row with `SqlCounters`, exactly once",
                format(
                        "**%.1f times** as fast as the unguarded `UPDATE`, with %.2f of its median time; %.1f times in ledger mode",
                        ratio(result, "HOT", "COUNTERS", "UPDATE", "perSecond"),
                        ratio(result, "HOT", "COUNTERS", "UPDATE", "p50Micros"),
                        ratio(result, "HOT", "COUNTERS_LEDGER", "UPDATE", "perSecond")));
        table.row(
                "A storm of 90 % retries on 1,000 rows, your own SQL in a guarded method",
                format(
                        "**%.1f times** as fast as a row for each key",
                        ratio(result, "ROWS_STORM", "FILTER", "KEY_INSERT", "perSecond")));
        double wrong = stream(result.required("targets"))
                .filter(target -> target.required("name").asString().startsWith("wrong counters of "))
                .mapToDouble(target -> target.required("measured").asDouble())
                .sum();
        table.row("Guarded counters that were wrong", format("**%.0f**", wrong));
        return table.toString();
    }

    static String cost(JsonNode result) {
        Table table = new Table("lrl", "one `UPDATE` on 1,000 rows", "operations/s", "");
        table.row("a plain transaction", perSecond(result, "PLAIN"), "");
        table.row(
                "guarded by fbf, `filter`",
                perSecond(result, "FILTER"),
                over(result, "FILTER", "PLAIN", "plain transaction"));
        table.row(
                "guarded by fbf, `ledger` with `sqlOnly = true`",
                perSecond(result, "LEDGER_SQL_ONLY"),
                over(result, "LEDGER_SQL_ONLY", "KEY_INSERT", "key insert"));
        table.row(
                "guarded by fbf, `ledger`",
                perSecond(result, "LEDGER"),
                over(result, "LEDGER", "KEY_INSERT", "key insert"));
        table.row("a row for each request: the key inserted by hand", perSecond(result, "KEY_INSERT"), "");
        return table.toString();
    }

    private static String over(JsonNode result, String one, String other, String name) {
        return format("%.2f of the %s", ratio(result, "ROWS", one, other, "perSecond"), name);
    }

    private static String perSecond(JsonNode result, String contender) {
        return format("%,.0f", value(result, "ROWS", contender, "perSecond"));
    }

    /** A workload without retries; beside it its ratios with them. */
    static String workload(JsonNode result, String workload) {
        Table table = new Table(
                "l" + "r".repeat(11),
                "",
                "requests/s",
                "over `UPDATE`",
                "rounds",
                "with 5 % retries",
                "with 90 %",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "transactions",
                "WAL bytes",
                "table bytes");
        double unit = value(result, workload, "UPDATE", "perSecond");
        for (JsonNode summary : summaries(result, workload)) {
            String contender = summary.required("contender").asString();
            double over = summary.required("perSecond").asDouble() / unit;
            table.row(
                    "`" + contender + "`",
                    format("%,.0f", summary.required("perSecond").asDouble()),
                    format(contender.startsWith("COUNTERS") ? "**%.2f**" : "%.2f", over),
                    format(
                            "%.2f … %.2f",
                            summary.required("slowest").asDouble() / unit,
                            summary.required("fastest").asDouble() / unit),
                    format("%.2f", ratio(result, workload + "_RETRIES", contender, "UPDATE", "perSecond")),
                    format("%.2f", ratio(result, workload + "_STORM", contender, "UPDATE", "perSecond")),
                    millis(summary, "p50Micros"),
                    millis(summary, "p99Micros"),
                    millis(summary, "p999Micros"),
                    format("%.2f", summary.required("transactions").asDouble()),
                    format("%,.0f", summary.required("walBytes").asDouble()),
                    format("%,.0f", summary.required("tableBytes").asDouble()));
        }
        return table.toString();
    }

    static String oneClient(JsonNode result) {
        Table table = new Table("l" + "r".repeat(5), "", "requests/s", "p50 ms", "over `UPDATE`", "p99 ms", "p99.9 ms");
        for (JsonNode summary : summaries(result, "IDLE")) {
            String contender = summary.required("contender").asString();
            table.row(
                    "`" + contender + "`",
                    format("%,.0f", summary.required("perSecond").asDouble()),
                    millis(summary, "p50Micros"),
                    format("%.2f", ratio(result, "IDLE", contender, "UPDATE", "p50Micros")),
                    millis(summary, "p99Micros"),
                    millis(summary, "p999Micros"));
        }
        return table.toString();
    }

    private static String millis(JsonNode summary, String property) {
        return number(summary.required(property).asDouble() / 1e3);
    }

    private static double ratio(JsonNode result, String workload, String one, String other, String property) {
        return value(result, workload, one, property) / value(result, workload, other, property);
    }

    private static double value(JsonNode result, String workload, String contender, String property) {
        return only(summaries(result, workload), summary -> is(summary, "contender", contender))
                .required(property)
                .asDouble();
    }

    private static JsonNode summaries(JsonNode result, String workload) {
        return only(result.at("/figures/results"), one -> is(one, "workload", workload))
                .required("summaries");
    }
}
