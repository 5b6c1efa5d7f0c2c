package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import io.gatling.javaapi.core.PopulationBuilder;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Starts a database and the sample app, loads the app, and reports what the database counted. Fails if the guarded counter is
 * not exact or an operation was not acknowledged.
 */
public final class LoadTest implements Run {

    /** Until the app takes back its faults by itself, after the last operation has ended. */
    private static final Duration SPARE = Duration.ofMinutes(5);

    /** The parts of a run, one after the other; each counts the views of a page of its own. */
    enum Phase {
        /** Lets both JVMs and the database reach their speed. Its results are thrown away. */
        WARM_UP("warm-up", "warm-up-seconds"),
        /** Each operation is sent once over a good network: what does the guard cost? */
        NO_FAULTS("no-faults", "measured-seconds"),
        /** Lost responses, impatient clients and retries: is the counter still exact? */
        FAULTS("faults", "seconds");

        private final String page;
        private final String span;

        Phase(String page, String span) {
            this.page = page;
            this.span = span;
        }

        @Override
        public String toString() {
            return page;
        }

        Stage stage(Settings settings, SplittableRandom chance) {
            Plan plan = plan(settings);
            return new Stage(
                    page,
                    settings.positive("rate"),
                    settings.seconds(span),
                    this == FAULTS ? plan : plan.calm(),
                    chance);
        }

        private static Plan plan(Settings settings) {
            return new Plan(
                    settings.share("retries"),
                    settings.atLeastOne("max-sends"),
                    settings.share("at-once"),
                    settings.share("give-ups"),
                    settings.atLeastOne("max-attempts"),
                    settings.millis("give-up-after-millis"),
                    settings.seconds("deadline-seconds"));
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        Map<Phase, Stage> stages = new EnumMap<>(Phase.class);
        SplittableRandom chance = new SplittableRandom(settings.integer("seed"));
        for (Phase phase : Phase.values()) {
            stages.put(phase, phase.stage(settings, chance.split()));
        }
        try (Database database = Database.start(settings);
                SampleApp app = SampleApp.start(settings, database)) {
            GatlingRun.of(() -> List.of(load(stages, app.address(), settings)), settings);
            database.awaitIdle();
            Report report = report(stages, database);
            return new Findings(report, report.table(), List.of(), report.complaints(), database.servers());
        }
    }

    /** The phases one after the other. */
    private static PopulationBuilder load(Map<Phase, Stage> stages, URI app, Settings settings) {
        Duration faultsLast = settings.seconds("seconds")
                .plus(settings.seconds("deadline-seconds"))
                .plus(SPARE);
        PopulationBuilder faults = stage(stages, Phase.FAULTS).over(Sending.newConnections(app));
        PopulationBuilder noFaults = stage(stages, Phase.NO_FAULTS).over(Sending.keptConnections(app));
        PopulationBuilder warmUp = stage(stages, Phase.WARM_UP).over(Sending.keptConnections(app));
        return warmUp.andThen(noFaults.andThen(Sending.faultsOn(app, settings.share("loss"), faultsLast)
                .andThen(faults.andThen(Sending.faultsOff(app)))));
    }

    private static Stage stage(Map<Phase, Stage> stages, Phase phase) {
        return Objects.requireNonNull(stages.get(phase), "phase");
    }

    private static Report report(Map<Phase, Stage> stages, Database database) throws SQLException {
        Stage faults = stage(stages, Phase.FAULTS);
        Stage noFaults = stage(stages, Phase.NO_FAULTS);
        Map<Endpoint, Report.Row> rows = new EnumMap<>(Endpoint.class);
        for (Endpoint endpoint : Endpoint.values()) {
            rows.put(
                    endpoint,
                    new Report.Row(
                            faults.size(),
                            database.counter(endpoint, faults.page()),
                            noFaults.size(),
                            database.counter(endpoint, noFaults.page()),
                            faults.outcome(endpoint),
                            noFaults.outcome(endpoint)));
        }
        return new Report(rows);
    }
}
