package dev.fbf.loadtest.harness;

import java.util.List;
import java.util.Map;

/**
 * What a run found.
 *
 * @param figures for machines: a record or a map
 * @param table the figures for people
 * @param targets what was wanted of the figures; one that is missed does not fail the run
 * @param failures why the run failed; empty if it did not
 * @param servers what it ran on beside the machine, by name: servers and their versions
 */
public record Findings(
        Object figures, String table, List<Target> targets, List<String> failures, Map<String, String> servers) {

    /** Of a run that had nothing to do. */
    public static final Findings NONE = new Findings("", "", List.of(), List.of(), Map.of());
}
