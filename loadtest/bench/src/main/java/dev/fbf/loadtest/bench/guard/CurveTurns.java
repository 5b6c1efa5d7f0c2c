package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Settings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * Takes the turns of the points, and keeps them.
 *
 * @param virtual whether the clients are virtual threads
 * @param done the turns so far
 * @param notes what is to be said of a dimension beside the figures
 * @param failures what was wrong with guarded counters
 */
record CurveTurns(
        Settings settings,
        boolean virtual,
        List<CurvesReport.Turn> done,
        Map<Dimension, List<String>> notes,
        List<String> failures) {

    CurveTurns(Settings settings, boolean virtual) {
        this(settings, virtual, new ArrayList<>(), new EnumMap<>(Dimension.class), new ArrayList<>());
    }

    /** A database, and its clients with the load that they have where nothing else is said. */
    record Stage(BenchDatabase database, Crowd crowd, UniformLoad load) {}

    /** A contender at a point: it has a turn in each round. */
    record Cell(double x, String label, GuardContender contender, Crowd.Load load, List<Increments> nodes) {}

    void note(Dimension dimension, String note) {
        notes.computeIfAbsent(dimension, none -> new ArrayList<>()).add(note);
    }

    /** In turn, round by round: what else the machine does meets all of them alike. */
    void take(Stage stage, Dimension dimension, List<Cell> cells)
            throws SQLException, ExecutionException, InterruptedException {
        for (Cell cell : Rounds.of(settings.atLeastOne("rounds"), cells)) {
            take(stage, dimension, cell);
        }
    }

    private void take(Stage stage, Dimension dimension, Cell cell)
            throws SQLException, ExecutionException, InterruptedException {
        stage.database.vacuum(cell.contender);
        stage.database.checkpoint();
        stage.crowd.measure(cell.load, cell.contender, cell.nodes, settings.millis("leadInMillis"));
        CurvesReport.Turn turn = new CurvesReport.Turn(
                dimension,
                cell.x,
                cell.label,
                cell.contender,
                stage.crowd.measure(cell.load, cell.contender, cell.nodes, settings.millis("millis")));
        System.out.println(turn);
        done.add(turn);
    }

    void warmUp(Stage stage, Map<GuardContender, List<Increments>> applications)
            throws SQLException, ExecutionException, InterruptedException {
        for (Map.Entry<GuardContender, List<Increments>> one : applications.entrySet()) {
            stage.crowd.measure(stage.load, one.getKey(), one.getValue(), settings.millis("warmUpMillis"));
        }
    }

    /** Each guarded counter is to be what its clients were told. */
    void check(Stage stage, List<GuardContender> contenders) throws SQLException {
        for (GuardContender contender : contenders) {
            int wrong = stage.crowd.accuracy(contender).wrongCounters();
            if (contender.isGuarded() && wrong > 0) {
                failures.add(contender + ": " + wrong + " counters are not what its clients were told");
            }
        }
    }
}
