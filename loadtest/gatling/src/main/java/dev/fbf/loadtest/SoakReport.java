package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What the soak found.
 *
 * @param anonymous the part of it that no file is mapped to
 * @param missedLooks how many looks at the app failed and why; empty if none
 * @param complaints why the run failed; empty if it did not
 */
record SoakReport(
        Rates rates,
        Map<Endpoint, Count> endpoints,
        Map<String, Filter> filters,
        Memory resident,
        Memory anonymous,
        Memory live,
        String missedLooks,
        List<String> complaints) {

    private static final int MOST_ROWS = 40;

    /**
     * How fast it goes.
     *
     * @param capacity requests a second, measured just before
     * @param planned what the filter of each scope was told to expect
     */
    record Rates(double capacity, double high, double low, double planned) {}

    /**
     * An endpoint.
     *
     * @param unacknowledged operations that may have been applied or not, for no client was told
     */
    record Count(long acknowledged, long unacknowledged, long counter) {

        /** How far the counter is below what was acknowledged, or above all that may have been applied; else 0. */
        long drift() {
            return counter - Math.max(acknowledged, Math.min(counter, acknowledged + unacknowledged));
        }
    }

    /**
     * A scope's filter.
     *
     * @param highestFpp the highest estimate of how often it was mistaken
     * @param targetFpp how often it may be
     */
    record Filter(long refreshes, long growths, long shrinks, double highestFpp, double targetFpp) {}

    /**
     * Memory in the second half of the run.
     *
     * @param slopePerHour mebibytes that it rises in an hour
     */
    record Memory(double mebibytes, double slopePerHour) {

        static Memory of(List<Sample> samples, ToDoubleFunction<Sample> value) {
            return new Memory(Sample.mean(Sample.secondHalf(samples), value), Sample.slopePerHour(samples, value));
        }
    }

    static SoakReport of(
            SoakParameters parameters,
            Rates rates,
            Map<Endpoint, Count> endpoints,
            Map<String, Filter> filters,
            List<Sample> samples,
            String missedLooks,
            Optional<String> firstFailure) {
        return new SoakReport(
                rates,
                endpoints,
                filters,
                Memory.of(samples, Sample::residentMebibytes),
                Memory.of(samples, Sample::anonymousMebibytes),
                Memory.of(samples, Sample::liveMebibytes),
                missedLooks,
                complaints(parameters, endpoints, filters, samples, firstFailure));
    }

    private static List<String> complaints(
            SoakParameters parameters,
            Map<Endpoint, Count> endpoints,
            Map<String, Filter> filters,
            List<Sample> samples,
            Optional<String> firstFailure) {
        List<String> complaints = new ArrayList<>();
        endpoints.forEach((endpoint, count) -> {
            if (count.drift() != 0) {
                complaints.add(
                        "the %s counter is %,d after %,d acknowledged operations and %,d unacknowledged: it has drifted"
                                .formatted(endpoint, count.counter(), count.acknowledged(), count.unacknowledged()));
            }
        });
        if (samples.isEmpty()) {
            complaints.add("no sample could be taken");
        }
        firstFailure.ifPresent(first -> complaints.add("an operation stayed unacknowledged: " + first));
        filters.forEach((scope, filter) -> {
            if (filter.highestFpp() > filter.targetFpp()) {
                complaints.add(
                        "the filter of %s was mistaken once in %,.0f new operations, more often than once in %,.0f"
                                .formatted(scope, 1 / filter.highestFpp(), 1 / filter.targetFpp()));
            }
            boolean moved = filter.refreshes() > 0 && filter.growths() > 0 && filter.shrinks() > 0;
            if (parameters.risesAndFalls() && !moved) {
                complaints.add(
                        "the filter of %s was refreshed %d times, grew %d times and shrank %d times: too little to soak"
                                .formatted(scope, filter.refreshes(), filter.growths(), filter.shrinks()));
            }
        });
        return List.copyOf(complaints);
    }

    String table(SoakParameters parameters, List<Sample> samples) {
        StringBuilder text = new StringBuilder(format(
                "%n  Soak of %.1f minutes: %,.0f requests a second at most; %,.0f operations a second"
                        + " in turn with %,.0f; retry window %.0f s, planned for %,.0f a second%n%n",
                parameters.duration().toMillis() / 60e3,
                rates.capacity(),
                rates.high(),
                rates.low(),
                parameters.retryWindow().toMillis() / 1e3,
                rates.planned()));
        int step = 1 + (samples.size() - 1) / MOST_ROWS;
        text.append(Sample.table(IntStream.range(0, samples.size())
                        .filter(i -> i % step == 0)
                        .mapToObj(samples::get)
                        .toList()))
                .append('\n');
        endpoints.forEach((endpoint, count) -> text.append(format(
                "  %s: %,d operations acknowledged, %,d not, %,d counted: drift %+d%n",
                endpoint, count.acknowledged(), count.unacknowledged(), count.counter(), count.drift())));
        filters.forEach((scope, filter) -> text.append(format(
                "  filter of %s: %,d refreshes, grew %d times, shrank %d times; highest estimated FPP %.1e, target %.1e%n",
                scope,
                filter.refreshes(),
                filter.growths(),
                filter.shrinks(),
                filter.highestFpp(),
                filter.targetFpp())));
        Map.of("resident memory", resident, "of it anonymous", anonymous, "objects in use", live)
                .forEach((what, memory) -> text.append(format(
                        "  %s in the second half: %.1f MiB, %+.1f MiB an hour%n",
                        what, memory.mebibytes(), memory.slopePerHour())));
        if (!missedLooks.isEmpty()) {
            text.append(format("  looks at the app that failed: %s%n", missedLooks));
        }
        return text.toString();
    }
}
