package dev.fbf.loadtest.bench;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A contender's turns at one point.
 *
 * @param label of the point; empty for a workload
 * @param figures the medians of the turns' figures; {@code slowest} and {@code fastest} are the requests per second of the worst and
 *     the best turn
 */
public record Summary(
        Enum<?> contender, String label, @JsonAnyGetter Map<String, Double> figures) {

    /** Summarizes turns: one summary per contender and label, in the order in which they first appear. */
    public static List<Summary> of(List<Turn> turns) {
        Map<String, List<Turn>> points = new LinkedHashMap<>();
        turns.forEach(turn -> points.computeIfAbsent(turn.contender() + turn.label(), none -> new ArrayList<>())
                .add(turn));
        return points.values().stream().map(Summary::ofPoint).toList();
    }

    /** All figures of summaries, by their names. */
    public static Table<Summary> table(List<Summary> summaries) {
        Table<Summary> table =
                Table.<Summary>of(summaries).text("", Summary::label).text("", Summary::contender);
        summaries.stream()
                .flatMap(summary -> summary.figures.keySet().stream())
                .distinct()
                .forEach(
                        name -> table.number(name, "%,.2f", summary -> summary.figures.getOrDefault(name, Double.NaN)));
        return table;
    }

    private static Summary ofPoint(List<Turn> turns) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (String figure : turns.get(0).figures().keySet()) {
            figures.put(figure, Rounds.median(column(turns, figure)));
        }
        List<Double> rates = column(turns, "perSecond");
        figures.put("slowest", Collections.min(rates));
        figures.put("fastest", Collections.max(rates));
        return new Summary(turns.get(0).contender(), turns.get(0).label(), figures);
    }

    public static List<Double> column(List<Turn> turns, String figure) {
        return turns.stream().map(turn -> turn.get(figure)).toList();
    }

    public double get(String figure) {
        return Objects.requireNonNull(figures.get(figure), figure);
    }
}
