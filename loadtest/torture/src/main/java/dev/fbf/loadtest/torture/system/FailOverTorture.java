package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.system.FailOver.Fault;
import dev.fbf.loadtest.torture.system.FailOver.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fails over again and again, in each mode, and prints what went wrong with the history of each operation. Fails if an operation was
 * lost, doubled or never acknowledged, or none came to the old primary when that was back.
 */
public final class FailOverTorture implements Run {

    /** How soon after the promotion an operation is to be applied, in seconds. */
    private static final double AT_WORK = 2;

    /**
     * One fail-over. Times are in seconds.
     *
     * @param promoted how long the promotion took
     * @param atWork how long after it the first operation was applied
     * @param reachedOld whether an operation waited at the old primary when that was back
     */
    record Turn(
            String mode,
            String fault,
            double promoted,
            double atWork,
            boolean reachedOld,
            long operations,
            long acknowledged,
            long lost,
            long doubled) {

        static Turn of(Result result) {
            Verdict.Tally tally = result.verdict().total();
            return new Turn(
                    result.mode(),
                    result.fault().toString(),
                    result.promoted().toMillis() / 1e3,
                    result.atWork().toMillis() / 1e3,
                    result.reachedOld(),
                    tally.operations(),
                    tally.acknowledged(),
                    tally.lost(),
                    tally.doubled());
        }
    }

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        int failOvers = settings.atLeastOne("fail-overs");
        int operations = settings.atLeastOne("operations");
        double rate = settings.positive("rate");
        long seed = settings.integer("seed");
        List<Fault> named = settings.constants("faults", Fault.class);
        List<Fault> faults = named.isEmpty() ? List.of(Fault.values()) : named;
        List<Turn> turns = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (String mode : settings.list("modes").toList()) {
            for (int number = 0; number < failOvers; number++) {
                Fault fault = faults.get(number % faults.size());
                Path directory = settings.directory().resolve(mode);
                Directories.delete(directory);
                Result result = new FailOver(
                                settings.postgres(), directory, mode, fault, operations, rate, seed + number)
                        .run();
                Turn turn = Turn.of(result);
                turns.add(turn);
                System.out.println("  " + turn);
                System.out.print(result.verdict().explanation());
                if (!result.verdict().passed() || turn.acknowledged() != turn.operations() || !turn.reachedOld()) {
                    failures.add(turn.toString());
                }
            }
        }
        return new Findings(turns, table(turns), targets(turns), failures, Map.of());
    }

    /** A primary that is back at once takes operations to itself until it is gone. */
    private static List<Target> targets(List<Turn> turns) {
        double longest = turns.stream()
                .filter(turn -> !turn.fault().equals(Fault.KILLED_AND_BACK_AT_ONCE.toString()))
                .mapToDouble(Turn::atWork)
                .max()
                .orElse(0);
        return List.of(Target.atMost("promotion to the first applied operation, s, longest", AT_WORK, longest));
    }

    private static String table(List<Turn> turns) {
        return Table.format(
                "%n  fail-over: %d; seconds%n%n%s",
                turns.size(),
                Table.of(turns)
                        .text("mode", Turn::mode)
                        .text("primary", Turn::fault)
                        .number("promotion", "%.3f", Turn::promoted)
                        .number("then applied", "%.3f", Turn::atWork)
                        .text("reached old", turn -> turn.reachedOld() ? "yes" : "no")
                        .number("operations", "%,d", Turn::operations)
                        .number("acknowledged", "%,d", Turn::acknowledged)
                        .number("lost", "%,d", Turn::lost)
                        .number("doubled", "%,d", Turn::doubled));
    }
}
