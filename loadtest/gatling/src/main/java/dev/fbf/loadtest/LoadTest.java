package dev.fbf.loadtest;

import dev.fbf.loadtest.Delivery.Plan;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Loads the sample app over a good network, then over networks that lose responses and delay chunks, as in the paper's figure 17.
 * Fails if a guarded counter is not exact or an operation was not acknowledged.
 */
public final class LoadTest implements Run {

    private final List<Stage> stages = new ArrayList<>();

    @Override
    public Findings run(Settings settings) throws Exception {
        try (Database database = Database.start(settings)) {
            Stage warmUp = load(settings, database);
            List<Report.Row> rows = new ArrayList<>();
            for (Stage stage : stages) {
                rows.add(stage.row(database));
            }
            Report report = new Report(rows);
            List<String> complaints = new ArrayList<>(new Report(List.of(warmUp.row(database))).complaints());
            complaints.addAll(report.complaints());
            return new Findings(report, report.table(), List.of(), complaints, database.servers());
        } finally {
            for (Stage stage : stages) {
                stage.close();
            }
        }
    }

    /** Ends the application at the end: it has completed all requests then, also those whose clients have left. */
    private Stage load(Settings settings, Database database) throws IOException, InterruptedException {
        SplittableRandom chance = new SplittableRandom(settings.integer("seed"));
        Plan plan = Plan.of(settings);
        double rate = settings.positive("rate");
        List<Double> losses = settings.shares("loss");
        Duration time = settings.seconds("seconds");
        Duration warmUpTime = settings.seconds("warm-up-seconds");
        try (SampleApp app = SampleApp.start(settings, database)) {
            Stage warmUp =
                    new Stage("warm-up", 0, Duration.ZERO, app.port(), plan.calm(), rate, warmUpTime, chance.split());
            for (double loss : losses) {
                for (Duration delay : settings.millisOfEach("delay-millis")) {
                    String page = Table.format("loss-%.4f-delay-%d", loss, delay.toMillis());
                    stages.add(new Stage(page, loss, delay, app.port(), plan, rate, time, chance.split()));
                }
            }
            GatlingRun.of(() -> List.of(warmUp.load().andThen(faults(losses))), settings);
            return warmUp;
        }
    }

    /** All losses in parallel; for each of them the delays one after the other. */
    private PopulationBuilder[] faults(List<Double> losses) {
        return losses.stream()
                .map(loss -> GatlingRun.oneAfterTheOther(stages.stream()
                        .filter(stage -> stage.loss() == loss)
                        .map(Stage::load)
                        .toList()))
                .toArray(PopulationBuilder[]::new);
    }
}
