package dev.fbf.loadtest.harness.pages;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Blocks of figures, by the template {@code figures.ftl}. Each figure is taken from a result, or is a ratio of two of them. */
public final class Figures {

    private static final Set<String> OF_ALL_RUNS = Set.of("run", "targets");

    private Figures() {}

    /**
     * Shows a part of a result.
     *
     * @param figures which part: {@code run} for when and where it ran, {@code targets}, or one of the run's own
     * @param result its JSON, or what that is written from
     * @return Markdown, which ends with a line break
     * @throws IllegalArgumentException if the result has no such part
     */
    public static String of(String run, String figures, Object result) {
        Map<String, Object> tree = JsonMapper.shared().convertValue(result, new TypeReference<>() {});
        Map<String, Object> model = new HashMap<>(tree);
        model.put("result", tree);
        model.put("block", OF_ALL_RUNS.contains(figures) ? figures : run + "/" + figures);
        return Templates.process(Figures.class, "figures.ftl", model);
    }

    /** Adds a result to its earlier ones: how fast each contender was, in the workloads whose ranges pages show. */
    static ArrayNode withEarlier(JsonNode result) {
        ArrayNode runs = JsonMapper.shared().createArrayNode();
        result.path("earlier").forEach(runs::add);
        ObjectNode run = runs.addObject();
        run.set("date", result.required("date"));
        run.set("commit", result.required("commit"));
        ArrayNode workloads = run.putObject("figures").putArray("results");
        for (JsonNode workload : result.at("/figures/results")) {
            if (Set.of("HOT", "ROWS", "ROWS_STORM")
                    .contains(workload.path("workload").asString(""))) {
                ArrayNode summaries = workloads
                        .addObject()
                        .set("workload", workload.required("workload"))
                        .putArray("summaries");
                workload.required("summaries")
                        .forEach(summary -> summaries
                                .addObject()
                                .put("contender", summary.required("contender").asString())
                                .put(
                                        "perSecond",
                                        Math.round(summary.required("perSecond").asDouble())));
            }
        }
        return runs;
    }
}
