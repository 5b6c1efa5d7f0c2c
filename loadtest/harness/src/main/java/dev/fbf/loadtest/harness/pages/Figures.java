package dev.fbf.loadtest.harness.pages;

import dev.fbf.loadtest.harness.Table;
import freemarker.core.ArithmeticEngine;
import freemarker.template.Configuration;
import freemarker.template.Template;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import freemarker.template.TemplateMethodModelEx;
import freemarker.template.TemplateModel;
import freemarker.template.TemplateModelException;
import freemarker.template.utility.DeepUnwrap;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Blocks of figures, by the template {@code figures.ftl}. Each figure is taken from a result, or is a ratio of two of them. */
public final class Figures {

    private static final Set<String> OF_ALL_RUNS = Set.of("run", "targets");
    private static final Template TEMPLATE = template();

    private Figures() {}

    private static Template template() {
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
        configuration.setClassForTemplateLoading(Figures.class, "");
        configuration.setDefaultEncoding("UTF-8");
        configuration.setArithmeticEngine(ArithmeticEngine.CONSERVATIVE_ENGINE); // double, as Java's
        configuration.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
        configuration.setLogTemplateExceptions(false);
        try {
            return configuration.getTemplate("figures.ftl");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Shows a part of a result.
     *
     * @param figures which part: {@code run} for when and where it ran, {@code targets}, or one of the run's own
     * @param result its JSON, or what that is written from
     * @return Markdown, which ends with a line break
     * @throws IllegalArgumentException if the result has no such part
     */
    public static String of(String run, String figures, Object result) {
        Map<?, ?> tree = JsonMapper.shared().convertValue(result, Map.class);
        Map<Object, Object> model = new HashMap<>(tree);
        model.put("result", tree);
        model.put("block", OF_ALL_RUNS.contains(figures) ? figures : run + "/" + figures);
        model.put("f", (TemplateMethodModelEx) arguments -> format(unwrapped(arguments)));
        StringWriter text = new StringWriter();
        try {
            TEMPLATE.process(model, text);
        } catch (TemplateException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static List<Object> unwrapped(List<?> arguments) throws TemplateModelException {
        List<Object> unwrapped = new ArrayList<>();
        for (Object argument : arguments) {
            unwrapped.add(DeepUnwrap.unwrap((TemplateModel) argument));
        }
        return unwrapped;
    }

    /** {@code %d} takes an integer, all else a fraction. */
    private static String format(List<Object> arguments) {
        String format = (String) arguments.get(0);
        Number number = (Number) arguments.get(1);
        return format.endsWith("d") || format.contains("d ")
                ? Table.format(format, number.longValue())
                : Table.format(format, number.doubleValue());
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
