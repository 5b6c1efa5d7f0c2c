package dev.fbf.loadtest.harness.pages;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What the blocks of pages show of a result. Each figure is taken from the result, or is a ratio of two of them. */
public final class Figures {

    private static final Map<String, Function<JsonNode, String>> OF_ONE_RUN = Map.ofEntries(
            Map.entry("guard/short", Figures::guardInShort),
            Map.entry("guard/front", Figures::guardInFront),
            Map.entry("guard/HOT", result -> guardWorkload(result, "HOT")),
            Map.entry("guard/ROWS", result -> guardWorkload(result, "ROWS")),
            Map.entry("guard/ZIPF", result -> guardWorkload(result, "ZIPF")),
            Map.entry("guard/IDLE", Figures::guardOneClient),
            Map.entry("bench/filters", Figures::filters),
            Map.entry("curves/clients", result -> curve(result, "clients")),
            Map.entry("curves/rows", result -> curve(result, "rows")),
            Map.entry("curves/filters", result -> curve(result, "filters")),
            Map.entry("curves/windows", result -> curve(result, "windows")),
            Map.entry("curves/nodes", result -> curve(result, "nodes")),
            Map.entry("curves/databases", result -> curve(result, "databases")),
            Map.entry("loadtest/counters", Figures::counters),
            Map.entry("loadtest-capacity/rates", Figures::rates),
            Map.entry("loadtest-network/errors", Figures::errors),
            Map.entry("recovery/times", Figures::times),
            Map.entry("torture-fail-over/turns", Figures::failOvers));

    /** The contender whose processor time of the server is the least that groups can have. */
    private static final String LIMIT = "GROUPED_UPSERT";

    private Figures() {}

    /** A row of a table that is written by hand. */
    private record Line(String name, String one, String other) {}

    /**
     * Shows a part of a result.
     *
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
        String environment = result.required("environment").properties().stream()
                .map(entry -> entry.getValue().asString() + (entry.getKey().equals("cores") ? " cores" : ""))
                .collect(Collectors.joining(", "));
        String line = format(
                "Run of %s, commit %s: %s; other tenants took %.1f %% of the processors' time, a sync of the disk took %,.0f µs before and %,.0f µs after.\n",
                result.required("date").asString().substring(0, 10),
                result.required("commit").asString(),
                environment,
                100 * number(machine, "steal"),
                number(machine, "syncMicrosBefore"),
                number(machine, "syncMicros"));
        JsonNode warning = machine.path("warning");
        return warning.isString() ? line + format("**Warning:** %s.\n", warning.asString()) : line;
    }

    private static String targets(JsonNode result) {
        return table(result.required("targets"))
                .text("", text("name"))
                .number("wanted", "%s", text("wanted"))
                .number("measured", "%s", rounded("measured"))
                .text("", target -> target.required("met").asBoolean() ? "met" : "missed")
                .markdown();
    }

    /** What a guard costs and wins, each as the range over this run and those before it. */
    private static String guardInShort(JsonNode result) {
        return Table.of(List.of(
                        costs(
                                result,
                                "New operations on 1,000 rows, your SQL in a guarded method: ledger mode",
                                "ROWS",
                                "LEDGER"),
                        costs(result, "… with `sqlOnly = true`", "ROWS", "LEDGER_SQL_ONLY"),
                        costs(result, "… filter mode", "ROWS", "FILTER"),
                        costs(result, "90 % retries, the same: ledger mode", "ROWS_STORM", "LEDGER"),
                        costs(result, "… filter mode", "ROWS_STORM", "FILTER"),
                        costs(result, "New operations on one hot row, the same: ledger mode", "HOT", "LEDGER"),
                        costs(result, "… counted by `SqlCounters`: ledger mode", "HOT", "COUNTERS_LEDGER"),
                        costs(result, "… filter mode", "HOT", "COUNTERS")))
                .text("operations per second, as a multiple of", Line::name)
                .number("the plain transaction, which counts retries again", "%s", Line::one)
                .number("one CTE with a row per key", "%s", Line::other)
                .markdown();
    }

    private static Line costs(JsonNode result, String name, String workload, String contender) {
        return new Line(name, range(result, workload, contender, "PLAIN"), range(result, workload, contender, "CTE"));
    }

    private static String range(JsonNode result, String workload, String contender, String other) {
        DoubleSummaryStatistics ratios = Stream.concat(stream(result.path("earlier")), Stream.of(result))
                .mapToDouble(run -> ratio(run, workload, contender, other, "perSecond"))
                .summaryStatistics();
        String least = rounded(ratios.getMin());
        String most = rounded(ratios.getMax());
        return least.equals(most) ? most : least + " … " + most;
    }

    /** Adds a result to its earlier ones: how fast each contender was, in the workloads whose ranges pages show. */
    static ArrayNode withEarlier(JsonNode result) {
        ArrayNode runs = JsonMapper.shared().createArrayNode();
        result.path("earlier").forEach(runs::add);
        ObjectNode run = runs.addObject();
        run.set("date", result.required("date"));
        run.set("commit", result.required("commit"));
        ArrayNode workloads = run.putObject("figures").putArray("results");
        for (String workload : List.of("HOT", "ROWS", "ROWS_STORM")) {
            ArrayNode summaries =
                    workloads.addObject().put("workload", workload).putArray("summaries");
            summaries(result, workload)
                    .forEach(summary -> summaries
                            .addObject()
                            .put("contender", contender(summary))
                            .put("perSecond", Math.round(number(summary, "perSecond"))));
        }
        return runs;
    }

    /** Requests/s over those of one statement that an expert writes. */
    private static String guardInFront(JsonNode result) {
        Table<String> table = Table.of(List.of(
                        "PLAIN", "KEY_INSERT", "FILTER", "LEDGER", "LEDGER_SQL_ONLY", "COUNTERS", "COUNTERS_LEDGER"))
                .text("requests/s over `CTE`", contender -> "`" + contender + "`");
        for (String workload : List.of("ROWS", "HOT")) {
            String rows = workload.equals("ROWS") ? "1,000 rows: " : "one row: ";
            table.number(rows + "no retries", "%.2f", overCte(result, workload))
                    .number("5 %", "%.2f", overCte(result, workload + "_RETRIES"))
                    .number("90 %", "%.2f", overCte(result, workload + "_STORM"));
        }
        return table.markdown()
                + Stream.of("ROWS", "ROWS_RETRIES", "ROWS_STORM", "HOT", "HOT_RETRIES", "HOT_STORM")
                        .map(workload -> format("%,.0f", guard(result, workload, "CTE", "perSecond")))
                        .collect(Collectors.joining(
                                ", ", "\n`CTE` itself, in the order of the columns: ", " requests/s.\n"));
    }

    private static Function<String, Double> overCte(JsonNode result, String workload) {
        return contender -> ratio(result, workload, contender, "CTE", "perSecond");
    }

    /** A workload without retries; beside it its ratios with them. */
    private static String guardWorkload(JsonNode result, String workload) {
        double unit = guard(result, workload, "UPDATE", "perSecond");
        Table<JsonNode> table = table(summaries(result, workload))
                .text("", summary -> "`" + contender(summary) + "`")
                .number("requests/s", "%,.0f", number("perSecond"))
                .number(
                        "over `UPDATE`",
                        "%s",
                        summary -> format(
                                contender(summary).startsWith("COUNTERS") ? "**%.2f**" : "%.2f",
                                number(summary, "perSecond") / unit))
                .number(
                        "rounds",
                        "%s",
                        summary -> format(
                                "%.2f … %.2f", number(summary, "slowest") / unit, number(summary, "fastest") / unit))
                .number(
                        "with 5 % retries",
                        "%.2f",
                        summary -> ratio(result, workload + "_RETRIES", contender(summary), "UPDATE", "perSecond"))
                .number(
                        "with 90 %",
                        "%.2f",
                        summary -> ratio(result, workload + "_STORM", contender(summary), "UPDATE", "perSecond"))
                .number("p50 ms", "%s", millis("p50Micros"))
                .number("p99 ms", "%s", millis("p99Micros"))
                .number("p99.9 ms", "%s", millis("p999Micros"))
                .number("server µs", "%s", rounded("serverMicros"));
        if (stream(summaries(result, workload))
                .anyMatch(summary -> contender(summary).equals(LIMIT))) {
            table.number(
                    "over `" + LIMIT + "`",
                    "%.2f",
                    summary -> ratio(result, workload, contender(summary), LIMIT, "serverMicros"));
        }
        return table.number("transactions", "%.2f", number("transactions"))
                .number("WAL bytes", "%,.0f", number("walBytes"))
                .number("table bytes", "%,.0f", number("tableBytes"))
                .markdown();
    }

    private static String guardOneClient(JsonNode result) {
        return table(summaries(result, "IDLE"))
                .text("", summary -> "`" + contender(summary) + "`")
                .number("requests/s", "%,.0f", number("perSecond"))
                .number("p50 ms", "%s", millis("p50Micros"))
                .number(
                        "over `UPDATE`",
                        "%.2f",
                        summary -> ratio(result, "IDLE", contender(summary), "UPDATE", "p50Micros"))
                .number("p99 ms", "%s", millis("p99Micros"))
                .number("p99.9 ms", "%s", millis("p999Micros"))
                .markdown();
    }

    private static double ratio(JsonNode result, String workload, String one, String other, String property) {
        return guard(result, workload, one, property) / guard(result, workload, other, property);
    }

    private static double guard(JsonNode result, String workload, String contender, String property) {
        return number(
                only(summaries(result, workload), summary -> contender(summary).equals(contender)), property);
    }

    private static JsonNode summaries(JsonNode result, String workload) {
        return only(result.at("/figures/results"), one -> text(one, "workload").equals(workload))
                .required("summaries");
    }

    private static String contender(JsonNode summary) {
        return text(summary, "contender");
    }

    private static String filters(JsonNode result) {
        String size = result.at("/settings/mebibytes").asString();
        String fbf = nanos(result, "check", "FBF_N4");
        List<Line> lines = new ArrayList<>(List.of(
                new Line("check, N = 4", fbf, nanos(result, "check", "GUAVA_N4") + " (six in rotation)"),
                new Line(
                        "check, N = 22",
                        nanos(result, "check", "FBF_N22"),
                        nanos(result, "check", "GUAVA_N22") + " (24 in rotation)"),
                new Line("check", fbf, nanos(result, "check", "GUAVA") + " (one, which forgets nothing)"),
                new Line("put", nanos(result, "put", "FBF_N4"), nanos(result, "put", "GUAVA") + " (one)")));
        stream(result.required("targets"))
                .filter(target -> text(target, "name").startsWith("open after a kill"))
                .forEach(target -> lines.add(new Line(text(target, "name"), rounded(number(target, "measured")), "")));
        return Table.of(lines)
                .text("filters of " + size + " MiB", Line::name)
                .number("fbf", "%s", Line::one)
                .text("Guava's Bloom filter", Line::other)
                .markdown();
    }

    private static String nanos(JsonNode result, String benchmark, String contender) {
        int size = result.at("/settings/mebibytes").asInt();
        JsonNode found = only(
                result.at("/figures/measurements"),
                one -> text(one, "benchmark").equals(benchmark)
                        && contender(one).equals(contender)
                        && one.required("mebibytes").asInt() == size
                        && one.required("threads").asInt() == 1);
        return format("%,.0f ns", number(found, "medianNanos"));
    }

    /** A plot, and a row for each of its points. */
    private static String curve(JsonNode result, String name) {
        JsonNode curve =
                only(result.at("/figures/curves"), one -> text(one, "dimension").equals(name.toUpperCase(Locale.ROOT)));
        String description = text(curve, "description");
        Table<String> table = Table.<String>of(stream(curve.required("lines"))
                        .flatMap(line -> stream(line.required("points")))
                        .map(text("label"))
                        .distinct()
                        .toList())
                .text(description, label -> label);
        for (JsonNode line : curve.required("lines")) {
            String contender = "`" + contender(line) + "`";
            table.number(contender + "/s", "%s", label -> point(line, label, "%,.0f", "perSecond", 1))
                    .number("p50 ms", "%s", label -> point(line, label, "%.2f", "p50Micros", 1e3))
                    .number("server µs", "%s", label -> point(line, label, "%.1f", "serverMicros", 1));
        }
        String notes = stream(curve.required("notes")).map(JsonNode::asString).collect(Collectors.joining(" "));
        return format("![%s](performance/curves-%s.svg)\n\n", description, name)
                + table.markdown()
                + (notes.isEmpty() ? "" : "\n" + notes + "\n");
    }

    /** A figure of a line's point; empty if the line has no such point. */
    private static String point(JsonNode line, String label, String format, String property, double unit) {
        return stream(line.required("points"))
                .filter(point -> text(point, "label").equals(label))
                .map(point -> format(format, number(point, property) / unit))
                .findFirst()
                .orElse("");
    }

    private static String counters(JsonNode result) {
        return Table.of(List.of(
                        counters(result, "distinct operations", "%s", "/expected", Figures::integer),
                        counters(result, "requests sent", "%s", "/faults/sent", Figures::integer),
                        counters(result, "counter", "**%s**", "/counter", Figures::integer),
                        counters(result, "error", "**%s**", "/errorPercent", Figures::percent)))
                .text("", Line::name)
                .number("guarded", "%s", Line::one)
                .number("unguarded", "%s", Line::other)
                .markdown();
    }

    private static Line counters(
            JsonNode result, String name, String guarded, String path, Function<JsonNode, String> value) {
        JsonNode endpoints = result.at("/figures/endpoints");
        return new Line(
                name,
                format(guarded, value.apply(endpoints.at("/guarded" + path))),
                value.apply(endpoints.at("/unguarded" + path)));
    }

    private static String rates(JsonNode result) {
        JsonNode rows = result.at("/figures/rows");
        double unguarded = number(rows.required(0), "requestsPerSecond");
        return table(rows)
                .text("", row -> {
                    String endpoint = row.at("/contender/endpoint").asString();
                    return endpoint.equals("unguarded")
                            ? endpoint
                            : endpoint + ", " + row.at("/contender/mode").asString();
                })
                .number("requests/s", "%,.0f", number("requestsPerSecond"))
                .number("over unguarded", "%.2f", row -> number(row, "requestsPerSecond") / unguarded)
                .number(
                        "lowest … highest",
                        "%s",
                        row -> format("%,.0f … %,.0f", number(row, "lowest"), number(row, "highest")))
                .number("p50 ms", "%s", rounded("p50Millis"))
                .number("p99 ms", "%s", rounded("p99Millis"))
                .number("p99.9 ms", "%s", rounded("p999Millis"))
                .number("error", "%s", row -> percent(row.required("errorPercent")))
                .number("processor µs for each request: Gatling, application, database", "%s", row -> {
                    JsonNode micros = row.required("microsPerRequest");
                    return format(
                            "%,.0f, %,.0f, %,.0f",
                            number(micros, "gatling"), number(micros, "app"), number(micros, "postgres"));
                })
                .markdown();
    }

    /** The unguarded counter's: a row for each share of lost responses, a column for each delay. */
    private static String errors(JsonNode result) {
        JsonNode rows = result.at("/figures/rows");
        Table<Double> table = Table.<Double>of(
                        stream(rows).map(number("loss")).distinct().sorted().toList())
                .text("responses lost", loss -> format("%.0f %%", 100 * loss));
        stream(rows)
                .map(row -> row.required("delayMillis").asLong())
                .distinct()
                .sorted()
                .forEach(delay -> table.number(delay == 0 ? "no delay" : delay + " ms", "%s", loss -> {
                    JsonNode cell = only(
                            rows,
                            row -> number(row, "loss") == loss
                                    && row.required("delayMillis").asLong() == delay);
                    return percent(cell.at("/endpoints/unguarded/errorPercent"));
                }));
        return table.markdown();
    }

    private static String times(JsonNode result) {
        return table(result.at("/figures/summaries"))
                .text("seconds", Figures::contender)
                .number("first response to first applied operation: median", "%.3f", number("untilApplied"))
                .number("longest", "%.3f", number("longestUntilApplied"))
                .number("process start to first applied operation: median", "%.3f", number("applied"))
                .number("over the application without fbf", "%+.3f", number("cost"))
                .markdown();
    }

    /** A row for each mode and fault. */
    private static String failOvers(JsonNode result) {
        Map<String, List<JsonNode>> alike = stream(result.required("figures"))
                .collect(Collectors.groupingBy(
                        turn -> text(turn, "mode") + " mode, primary " + text(turn, "fault"),
                        LinkedHashMap::new,
                        Collectors.toList()));
        return Table.of(List.copyOf(alike.entrySet()))
                .text("", Map.Entry::getKey)
                .number("failovers", "%d", turns -> turns.getValue().size())
                .number("operations", "%,.0f", turns -> sum(turns.getValue(), "operations"))
                .number("lost", "%.0f", turns -> sum(turns.getValue(), "lost"))
                .number("doubled", "%.0f", turns -> sum(turns.getValue(), "doubled"))
                .number(
                        "promotion to the first applied operation, s: median",
                        "%.3f",
                        turns -> Rounds.median(atWork(turns.getValue())))
                .number("longest", "%.3f", turns -> Collections.max(atWork(turns.getValue())))
                .markdown();
    }

    private static List<Double> atWork(List<JsonNode> turns) {
        return turns.stream().map(number("atWork")).toList();
    }

    private static double sum(List<JsonNode> turns, String property) {
        return turns.stream().mapToDouble(turn -> number(turn, property)).sum();
    }

    private static Table<JsonNode> table(JsonNode rows) {
        return Table.of(stream(rows).toList());
    }

    /** The only element that a condition holds for. */
    private static JsonNode only(JsonNode array, Predicate<JsonNode> condition) {
        List<JsonNode> found = stream(array).filter(condition).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException("the result has " + found.size() + " such elements, not 1");
        }
        return found.get(0);
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static String text(JsonNode node, String property) {
        return node.required(property).asString();
    }

    private static double number(JsonNode node, String property) {
        return node.required(property).asDouble();
    }

    private static Function<JsonNode, String> text(String property) {
        return node -> text(node, property);
    }

    private static Function<JsonNode, Double> number(String property) {
        return node -> number(node, property);
    }

    private static Function<JsonNode, String> rounded(String property) {
        return node -> rounded(number(node, property));
    }

    /** Of microseconds. */
    private static Function<JsonNode, String> millis(String property) {
        return node -> rounded(number(node, property) / 1e3);
    }

    /** With three significant digits, as a rule. */
    private static String rounded(double value) {
        return format(Math.abs(value) < 10 ? "%.2f" : "%,.0f", value);
    }

    private static String integer(JsonNode value) {
        return format("%,d", value.asLong());
    }

    private static String percent(JsonNode value) {
        return value.asDouble() == 0 ? "0" : format("%+.1f %%", value.asDouble());
    }
}
