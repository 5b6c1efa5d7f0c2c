package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.agent.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What can be set, each as a system property {@code torture.system.*}.
 *
 * @param seed decides the faults, and what clients do
 * @param length how long the schedule of faults is; late faults make the run longer
 * @param operations how many operations are to be acknowledged at least
 * @param rate operations that begin in a second, for which each filter is planned; several times as many in a surge
 * @param clients how many clients there are
 * @param counters how many pages there are
 * @param grouped the share of operations that are committed in groups, more than 0 and less than 1: there are faults for
 *     both kinds
 * @param mode {@code filter} or {@code ledger}
 * @param nodes how many applications there are
 * @param faults how many faults each lane gets
 * @param without faults that must not happen
 * @param steps what the agent can kill the application at; without an agent there are none, and {@link
 *     Fault#KILL_AT_STEP} does not happen
 * @param window the retry window
 * @param jvm options of the application's JVM
 * @param arguments more arguments of the application
 * @param readyPath what answers 200 once the application is ready
 * @param recoveryBound how long clients may wait for the first operation after a kill, from the first response, where nothing
 *     else is done to the system; the median of all may be a fifth of it
 * @param lives how often the applications are killed in the end, each time 2 s after they are ready
 * @param directory for everything; what an earlier run left there is deleted
 * @param home of PostgreSQL's programs, which are kept from one run to the next
 * @param result the JSON
 */
record Parameters(
        long seed,
        Duration length,
        long operations,
        double rate,
        int clients,
        int counters,
        double grouped,
        String mode,
        int nodes,
        Map<Fault.Lane, Integer> faults,
        List<Fault> without,
        List<String> steps,
        Duration window,
        List<String> jvm,
        List<String> arguments,
        String readyPath,
        Duration recoveryBound,
        int lives,
        Path directory,
        Path home,
        Path result) {

    private static final String PREFIX = "torture.system.";

    Parameters {
        if (!(grouped > 0 && grouped < 1)) {
            throw new IllegalArgumentException("grouped=" + grouped + ": must be more than 0 and less than 1");
        }
    }

    static Parameters ofSystemProperties() {
        Map<Fault.Lane, Integer> faults = new EnumMap<>(Fault.Lane.class);
        faults.put(Fault.Lane.APP, integer("app-kills", 5));
        faults.put(Fault.Lane.POSTGRES, integer("postgres-kills", 3));
        faults.put(Fault.Lane.COMMIT, integer("commit-faults", 60));
        faults.put(Fault.Lane.DATABASE_NETWORK, integer("database-network-faults", 5));
        faults.put(Fault.Lane.CLIENT_NETWORK, integer("client-network-faults", 60));
        faults.put(Fault.Lane.LOAD, integer("surges", 1));
        Path directory = Path.of(text("directory", "target/torture-system"));
        String mode = text("mode", "filter");
        List<String> jvm = new ArrayList<>(list("app.jvm"));
        List<String> steps = new ArrayList<>();
        if (!text("agent", "").isEmpty()) {
            jvm.add("-javaagent:" + text("agent", ""));
            jvm.add("-Dtorture.broken=" + text("broken", ""));
            Step.in(mode).forEach(step -> steps.add(step.name()));
        }
        return new Parameters(
                Long.parseLong(text("seed", "1")),
                Duration.ofSeconds(integer("seconds", 60)),
                Long.parseLong(text("operations", "5000")),
                Double.parseDouble(text("rate", "150")),
                integer("clients", 16),
                integer("counters", 100),
                Double.parseDouble(text("grouped", "0.5")),
                mode,
                integer("nodes", 1),
                faults,
                list("without").stream()
                        .map(name -> Fault.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')))
                        .toList(),
                steps,
                Duration.ofSeconds(integer("window-seconds", 18)),
                jvm,
                list("app.arguments"),
                text("app.ready-path", "/actuator/health/readiness"),
                Duration.ofMillis(integer("recovery-bound-millis", 1_000)),
                integer("lives", 2),
                directory,
                Path.of(text("postgres-home", directory + "-postgres")),
                Path.of(text("result", "target/results/torture-system.json")));
    }

    private static String text(String name, String preset) {
        return System.getProperty(PREFIX + name, preset);
    }

    private static int integer(String name, int preset) {
        return Integer.parseInt(text(name, Integer.toString(preset)));
    }

    /** Words between blanks. */
    private static List<String> list(String name) {
        return Arrays.stream(text(name, "").split(" ", -1))
                .filter(word -> !word.isBlank())
                .toList();
    }
}
