package dev.fbf.loadtest.bench;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import java.util.Map;

/**
 * A contender's turn under a load.
 *
 * @param figures what was measured, by name
 */
public record Turn(
        String workload, Enum<?> contender, @JsonAnyGetter Map<String, Double> figures) {}
