package dev.fbf.loadtest.harness;

import static dev.fbf.loadtest.harness.Table.format;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures one below the other, for machines and for people. */
public final class Sheet {

    private final Map<String, Object> json = new LinkedHashMap<>();
    private final List<Map.Entry<String, Number>> lines = new ArrayList<>();

    public void add(String name, Number value) {
        json.put(name, value);
        lines.add(Map.entry(name, value));
    }

    /** Adds counts of one kind. */
    public void addAll(String name, Map<?, ? extends Number> counts) {
        json.put(name, counts);
        counts.forEach((what, count) -> lines.add(Map.entry(name + ": " + what, count)));
    }

    public Map<String, Object> json() {
        return json;
    }

    public String table() {
        return "\n"
                + Table.of(lines).text("", Map.Entry::getKey).number("", "%s", line -> {
                    Number value = line.getValue();
                    return value instanceof Double fraction
                            ? format(fraction < 1 ? "%,.9f" : "%,.2f", fraction)
                            : format("%,d", value);
                });
    }
}
