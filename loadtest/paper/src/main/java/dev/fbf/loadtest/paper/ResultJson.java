package dev.fbf.loadtest.paper;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The result for machines to read. */
final class ResultJson {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ResultJson() {}

    static String of(List<Figure> figures, int seeds) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("seeds", seeds);
        result.put(
                "claims",
                figures.stream().flatMap(figure -> figure.claims().stream()).toList());
        return MAPPER.writeValueAsString(result);
    }
}
