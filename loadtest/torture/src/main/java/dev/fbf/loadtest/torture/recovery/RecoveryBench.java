package dev.fbf.loadtest.torture.recovery;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.torture.recovery.RecoveryReport.Turn;
import dev.fbf.loadtest.torture.system.Database;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Kills applications amid requests, and measures how long it takes until they apply operations again: in each mode, with own SQL
 * and with {@code SqlCounters}, on one hot row and on many; with large filters; and without fbf; in turn. Fails if an
 * application never had anything to settle, so that the figures say nothing, or was ready too early.
 */
public final class RecoveryBench implements Run {

    @Override
    public Findings run(Settings settings) throws Exception {
        List<Contender> contenders = new ArrayList<>(List.of(
                Contender.withoutFbf(),
                Contender.withoutTransactions(),
                Contender.withFilter(settings.atLeastOne("mebibytes")),
                Contender.withFilter(settings.atLeastOne("largeMebibytes"))));
        if (settings.flag("everyKind")) {
            contenders.addAll(Contender.ofEachKind());
        }
        try (Database database = Database.start(settings, Contender.MANY)) {
            RecoveryReport report = RecoveryReport.of(contenders, measure(contenders, database, settings));
            return new Findings(
                    report,
                    report.table(),
                    report.targets(),
                    report.failures(),
                    Map.of("postgres", database.server().version()));
        }
    }

    /** In each round each contender has its turns; the next round begins with the next contender. */
    private static List<Turn> measure(List<Contender> contenders, Database database, Settings settings)
            throws Exception {
        List<RecoveringApp> apps = new ArrayList<>();
        try {
            for (Contender contender : contenders) {
                Path directory = settings.directory().resolve("app-" + apps.size());
                apps.add(new RecoveringApp(contender, database, directory, settings.words("appJvm")));
            }
            List<Turn> turns = new ArrayList<>();
            for (RecoveringApp app : Rounds.of(settings.atLeastOne("rounds"), apps)) {
                List<Turn> its = app.turns(settings.atLeastOne("kills"), settings.millis("trafficMillis"));
                its.forEach(System.out::println);
                turns.addAll(its);
            }
            return turns;
        } finally {
            apps.forEach(RecoveringApp::close);
        }
    }
}
