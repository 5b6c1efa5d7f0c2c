package dev.fbf.loadtest;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All that can be set about a run. Meanings and defaults stand in one place: the profile {@code loadtest} of this
 * module's POM, which hands them over as system properties.
 */
record Parameters(
        int operations,
        int measuredOperations,
        int warmUpOperations,
        double rate,
        double lostAnswers,
        double giveUps,
        Duration giveUpAfter,
        double atOnce,
        int maxSends,
        int maxAttempts,
        Duration deadline,
        long seed) {

    private static final Duration SPARE = Duration.ofMinutes(5);
    private static final Duration LONGEST_FAULTS = Duration.ofHours(1);

    Parameters {
        atLeastOne("operations", operations);
        atLeastOne("measured-operations", measuredOperations);
        atLeastOne("warm-up-operations", warmUpOperations);
        atLeastOne("max-sends", maxSends);
        atLeastOne("max-attempts", maxAttempts);
        share("lost-answers", lostAnswers);
        share("give-ups", giveUps);
        share("at-once", atOnce);
        if (!(rate > 0)) {
            throw new IllegalArgumentException("loadtest.rate=" + rate + " must be more than 0");
        }
    }

    static Parameters from(Function<String, @Nullable String> properties) {
        Source source = new Source(properties);
        return new Parameters(
                Integer.parseInt(source.get("operations")),
                Integer.parseInt(source.get("measured-operations")),
                Integer.parseInt(source.get("warm-up-operations")),
                Double.parseDouble(source.get("rate")),
                Double.parseDouble(source.get("lost-answers")),
                Double.parseDouble(source.get("give-ups")),
                Duration.ofMillis(Long.parseLong(source.get("give-up-after-millis"))),
                Double.parseDouble(source.get("at-once")),
                Integer.parseInt(source.get("max-sends")),
                Integer.parseInt(source.get("max-attempts")),
                Duration.ofSeconds(Long.parseLong(source.get("deadline-seconds"))),
                Long.parseLong(source.get("seed")));
    }

    Plan plan(Phase phase) {
        return switch (phase) {
            case WARM_UP -> Plan.calm(warmUpOperations);
            case NO_FAULTS -> Plan.calm(measuredOperations);
            case FAULTS -> new Plan(operations, maxSends, atOnce, giveUps, maxAttempts);
        };
    }

    /** How long the operations of a phase take to begin, one after the other, at the wanted rate. */
    Duration span(Phase phase) {
        return Duration.ofMillis(Math.max(1, Math.round(1_000 * plan(phase).operations() / rate)));
    }

    /** Until the app takes back its faults by itself: later than the last operation ends, and never more than it allows. */
    Duration faultsLast() {
        Duration wanted = span(Phase.FAULTS).plus(deadline).plus(SPARE);
        return wanted.compareTo(LONGEST_FAULTS) < 0 ? wanted : LONGEST_FAULTS;
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException("loadtest." + name + "=" + value + " must be at least 1");
        }
    }

    private static void share(String name, double value) {
        if (!(value >= 0 && value < 1)) {
            throw new IllegalArgumentException("loadtest." + name + "=" + value + " must be a share: 0 <= share < 1");
        }
    }

    private record Source(Function<String, @Nullable String> properties) {

        String get(String name) {
            String value = properties.apply("loadtest." + name);
            if (value == null) {
                throw new IllegalArgumentException("loadtest." + name + " is not set: run \"mvn -Ploadtest verify\"");
            }
            return value;
        }
    }
}
