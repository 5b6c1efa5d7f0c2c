package dev.fbf.loadtest.harness;

import java.util.List;
import java.util.Map;

/** A load test, a benchmark or a torture. It has a public constructor without arguments, and a properties file names it. */
public interface Run {

    /**
     * Runs it.
     *
     * @return what it found; {@link Findings#NONE} if its settings leave nothing to do
     */
    Findings run(Settings settings) throws Exception;

    /**
     * What a run found.
     *
     * @param targets what was wanted of the figures; one that is missed does not fail the run
     * @param failures why the run failed; empty if it did not
     * @param servers what it ran on beside the machine, by name: servers and their versions
     */
    record Findings(
            Object figures, String table, List<Target> targets, List<String> failures, Map<String, String> servers) {

        /** Of a run that had nothing to do. */
        public static final Findings NONE = new Findings("", "", List.of(), List.of(), Map.of());
    }
}
