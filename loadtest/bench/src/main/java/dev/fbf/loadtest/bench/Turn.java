package dev.fbf.loadtest.bench;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import java.util.Map;
import java.util.Objects;

/**
 * A contender's turn under a load.
 *
 * @param series the workload or the curve
 * @param label the point of the curve; empty for a workload
 * @param figures what was measured, by name
 */
public record Turn(
        String series,
        String label,
        Enum<?> contender,
        @JsonAnyGetter Map<String, Double> figures) {

    public double get(String figure) {
        return Objects.requireNonNull(figures.get(figure), figure);
    }
}
