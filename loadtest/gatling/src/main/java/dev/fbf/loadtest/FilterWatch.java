package dev.fbf.loadtest;

import java.time.Duration;
import tools.jackson.databind.JsonNode;

/**
 * Counts what a filter does, from looks at what {@code /actuator/fbf/{scope}} tells of it: as many as there are looks between
 * two of them, at most.
 */
final class FilterWatch {

    private long refreshes;
    private long growths;
    private long shrinks;
    private double highestFpp;
    private double targetFpp;
    private long newestBytes;
    private Duration sinceRefresh = Duration.ZERO;
    private Look last = new Look(0, 0, 0, 0, 0);

    /** What is seen at once. */
    record Look(long bytes, int arenas, int generations, double fill, double estimatedFpp) {}

    void look(JsonNode scope) {
        JsonNode newest = scope.required("arenas").required(0);
        long bytes = newest.required("bytes").longValue();
        Duration since = duration(newest.required("sinceRefresh"));
        if (newestBytes != 0 && bytes != newestBytes) {
            if (bytes > newestBytes) {
                growths++;
            } else {
                shrinks++;
            }
        } else if (since.compareTo(sinceRefresh) < 0) {
            refreshes++;
        }
        newestBytes = bytes;
        sinceRefresh = since;
        targetFpp = scope.required("targetFpp").doubleValue();
        last = new Look(
                scope.required("bytes").longValue(),
                scope.required("arenas").size(),
                newest.required("generations").size(),
                scope.required("fill").doubleValue(),
                scope.required("estimatedFpp").doubleValue());
        highestFpp = Math.max(highestFpp, last.estimatedFpp());
    }

    private static Duration duration(JsonNode node) {
        return node.isNumber()
                ? Duration.ofNanos(Math.round(1e9 * node.doubleValue()))
                : Duration.parse(node.stringValue());
    }

    Look last() {
        return last;
    }

    /** What it has done so far. */
    SoakReport.Filter filter() {
        return new SoakReport.Filter(refreshes, growths, shrinks, highestFpp, targetFpp);
    }
}
