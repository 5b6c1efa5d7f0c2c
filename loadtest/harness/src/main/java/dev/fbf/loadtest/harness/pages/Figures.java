package dev.fbf.loadtest.harness.pages;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the blocks of pages show of a result. Each figure is taken from the result, or is a ratio of two of them. */
public final class Figures {

    private static final Map<String, Function<JsonNode, String>> OF_ONE_RUN = Map.ofEntries(
            Map.entry("guard/short", GuardFigures::inShort),
            Map.entry("guard/cost", GuardFigures::cost),
            Map.entry("guard/HOT", result -> GuardFigures.workload(result, "HOT")),
            Map.entry("guard/ROWS", result -> GuardFigures.workload(result, "ROWS")),
            Map.entry("guard/ZIPF", result -> GuardFigures.workload(result, "ZIPF")),
            Map.entry("guard/IDLE", GuardFigures::oneClient),
            Map.entry("bench/filters", Figures::filters),
            Map.entry("loadtest/counters", Figures::counters),
            Map.entry("loadtest-capacity/rates", Figures::rates),
            Map.entry("loadtest-network/errors", Figures::errors),
            Map.entry("recovery/times", Figures::times));

    private Figures() {}

    /**
     * Shows a part of a result.
     *
     * @param run the name of the run
     * @param figures which part: {@code run} for when and where it ran, {@code targets}, or one of the run's own
     * @param result its JSON, or what that is written from
     * @return Markdown, which ends with a line break
     * @throws IllegalArgumentException if the result has no such part
     */
    public static String of(String run, String figures, Object result) {
        JsonNode tree = JsonMapper.shared().valueToTree(result);
        return switch (figures) {
            case "run" -> run(tree);
            case "targets" -> targets(tree);
            default -> {
                Function<JsonNode, String> own = OF_ONE_RUN.get(run + "/" + figures);
                if (own == null) {
                    throw new IllegalArgumentException(
                            "figures=" + run + "/" + figures + ": there are no such figures");
                }
                yield own.apply(tree);
            }
        };
    }

    private static String run(JsonNode result) {
        JsonNode machine = result.required("machine");
        StringBuilder text = new StringBuilder();
        result.required("environment")
                .properties()
                .forEach(entry -> text.append(", ")
                        .append(entry.getValue().asString())
                        .append(entry.getKey().equals("cores") ? " cores" : ""));
        String line = format(
                "Run of %s, commit %s: %s; other tenants took %.1f %% of the processors' time, a sync of the disk took %,.0f µs before and %,.0f µs after.%n",
                result.required("date").asString().substring(0, 10),
                result.required("commit").asString(),
                text.substring(2),
                100 * machine.required("steal").asDouble(),
                machine.required("syncMicrosBefore").asDouble(),
                machine.required("syncMicros").asDouble());
        JsonNode warning = machine.path("warning");
        return warning.isString() ? line + format("**Warning:** %s.%n", warning.asString()) : line;
    }

    private static String targets(JsonNode result) {
        Table table = new Table("lrrl", "", "wanted", "measured", "");
        for (JsonNode target : result.required("targets")) {
            table.row(
                    target.required("name").asString(),
                    target.required("wanted").asString(),
                    number(target.required("measured").asDouble()),
                    target.required("met").asBoolean() ? "met" : "missed");
        }
        return table.toString();
    }

    private static String filters(JsonNode result) {
        String size = result.at("/settings/mebibytes").asString();
        Table table = new Table("lrl", "filters of " + size + " MiB", "fbf", "Guava's Bloom filter");
        table.row(
                "check, N = 4",
                nanos(result, "check", "FBF_N4"),
                nanos(result, "check", "GUAVA_N4") + " (six in rotation)");
        table.row(
                "check, N = 22",
                nanos(result, "check", "FBF_N22"),
                nanos(result, "check", "GUAVA_N22") + " (24 in rotation)");
        table.row(
                "check",
                nanos(result, "check", "FBF_N4"),
                nanos(result, "check", "GUAVA") + " (one, which forgets nothing)");
        table.row("put", nanos(result, "put", "FBF_N4"), nanos(result, "put", "GUAVA") + " (one)");
        for (JsonNode target : result.required("targets")) {
            String name = target.required("name").asString();
            if (name.startsWith("open after a kill")) {
                table.row(name, number(target.required("measured").asDouble()), "");
            }
        }
        return table.toString();
    }

    private static String nanos(JsonNode result, String benchmark, String contender) {
        int size = result.at("/settings/mebibytes").asInt();
        JsonNode found = only(
                result.at("/figures/measurements"),
                one -> is(one, "benchmark", benchmark)
                        && is(one, "contender", contender)
                        && one.required("mebibytes").asInt() == size
                        && one.required("threads").asInt() == 1);
        return format("%,.0f ns", found.required("medianNanos").asDouble());
    }

    private static String counters(JsonNode result) {
        Table table = new Table("lrr", "", "guarded", "unguarded");
        JsonNode guarded = result.at("/figures/endpoints/guarded");
        JsonNode unguarded = result.at("/figures/endpoints/unguarded");
        table.row(
                "distinct operations", integer(guarded.required("expected")), integer(unguarded.required("expected")));
        table.row("requests sent", integer(guarded.at("/faults/sent")), integer(unguarded.at("/faults/sent")));
        table.row(
                "counter", "**" + integer(guarded.required("counter")) + "**", integer(unguarded.required("counter")));
        table.row(
                "error",
                "**" + percent(guarded.required("errorPercent")) + "**",
                percent(unguarded.required("errorPercent")));
        return table.toString();
    }

    private static String rates(JsonNode result) {
        Table table = new Table(
                "lrrrrrrrr",
                "",
                "requests/s",
                "over unguarded",
                "lowest … highest",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "error",
                "processor µs for each request: Gatling, application, database");
        JsonNode rows = result.at("/figures/rows");
        double unguarded = rows.required(0).required("requestsPerSecond").asDouble();
        for (JsonNode row : rows) {
            String endpoint = row.at("/contender/endpoint").asString();
            double perSecond = row.required("requestsPerSecond").asDouble();
            table.row(
                    endpoint.equals("unguarded")
                            ? endpoint
                            : endpoint + ", " + row.at("/contender/mode").asString(),
                    format("%,.0f", perSecond),
                    format("%.2f", perSecond / unguarded),
                    format(
                            "%,.0f … %,.0f",
                            row.required("lowest").asDouble(),
                            row.required("highest").asDouble()),
                    number(row.required("p50Millis").asDouble()),
                    number(row.required("p99Millis").asDouble()),
                    number(row.required("p999Millis").asDouble()),
                    percent(row.required("errorPercent")),
                    format(
                            "%,.0f, %,.0f, %,.0f",
                            row.at("/microsPerRequest/gatling").asDouble(),
                            row.at("/microsPerRequest/app").asDouble(),
                            row.at("/microsPerRequest/postgres").asDouble()));
        }
        return table.toString();
    }

    /** The unguarded counter's: a row for each share of lost responses, a column for each delay. */
    private static String errors(JsonNode result) {
        JsonNode rows = result.at("/figures/rows");
        List<Long> delays = stream(rows)
                .map(row -> row.required("delayMillis").asLong())
                .distinct()
                .sorted()
                .toList();
        String[] headers = new String[delays.size() + 1];
        headers[0] = "responses lost";
        for (int i = 0; i < delays.size(); i++) {
            headers[i + 1] = delays.get(i) == 0 ? "no delay" : delays.get(i) + " ms";
        }
        Table table = new Table("l" + "r".repeat(delays.size()), headers);
        for (double loss : stream(rows)
                .mapToDouble(row -> row.required("loss").asDouble())
                .distinct()
                .sorted()
                .toArray()) {
            String[] cells = new String[headers.length];
            cells[0] = format("%.0f %%", 100 * loss);
            for (int i = 0; i < delays.size(); i++) {
                long delay = delays.get(i);
                cells[i + 1] = percent(only(
                                rows,
                                row -> row.required("loss").asDouble() == loss
                                        && row.required("delayMillis").asLong() == delay)
                        .at("/endpoints/unguarded/errorPercent"));
            }
            table.row(cells);
        }
        return table.toString();
    }

    private static String times(JsonNode result) {
        Table table = new Table(
                "lrrrr",
                "seconds",
                "first response to first applied operation: median",
                "longest",
                "process start to first applied operation: median",
                "over the application without fbf");
        for (JsonNode summary : result.at("/figures/summaries")) {
            table.row(
                    summary.required("contender").asString(),
                    format("%.3f", summary.required("untilApplied").asDouble()),
                    format("%.3f", summary.required("longestUntilApplied").asDouble()),
                    format("%.3f", summary.required("applied").asDouble()),
                    format("%+.3f", summary.required("cost").asDouble()));
        }
        return table.toString();
    }

    static boolean is(JsonNode node, String property, String value) {
        return node.required(property).asString().equals(value);
    }

    /** The only element that a condition holds for. */
    static JsonNode only(JsonNode array, Predicate<JsonNode> condition) {
        List<JsonNode> found = stream(array).filter(condition).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException("the result has " + found.size() + " such elements, not 1");
        }
        return found.get(0);
    }

    static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** With three significant digits, as a rule. */
    static String number(double value) {
        return format(Math.abs(value) < 10 ? "%.2f" : "%,.0f", value);
    }

    private static String integer(JsonNode value) {
        return format("%,d", value.asLong());
    }

    private static String percent(JsonNode value) {
        return value.asDouble() == 0 ? "0" : format("%+.1f %%", value.asDouble());
    }

    static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format.replace("%n", "\n"), values);
    }
}
