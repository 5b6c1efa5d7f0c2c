package dev.fbf.loadtest.harness;

import static dev.fbf.loadtest.harness.Table.format;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures one below the other, each with a name for machines and one for people. */
public final class Sheet {

    private final Map<String, Object> json = new LinkedHashMap<>();
    private final List<Map.Entry<String, Object>> lines = new ArrayList<>();

    /** Adds a number for both. */
    public void add(String key, String name, Number value) {
        json.put(key, value);
        line(name, value);
    }

    /** Adds a number for people alone. */
    public void line(String name, Number value) {
        lines.add(Map.entry(name, value));
    }

    /** Adds something for machines alone. */
    public void json(String key, Object value) {
        json.put(key, value);
    }

    public Map<String, Object> json() {
        return json;
    }

    public String table() {
        return "\n"
                + Table.of(lines).text("", Map.Entry::getKey).number("", "%s", line -> {
                    Object value = line.getValue();
                    return value instanceof Double fraction
                            ? format(fraction < 1 ? "%,.9f" : "%,.2f", fraction)
                            : format("%,d", value);
                });
    }
}
