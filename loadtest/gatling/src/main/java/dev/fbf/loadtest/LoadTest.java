package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Loads the sample app over a good network, then over networks that lose responses and delay chunks, as in the paper's figure 17.
 * Fails if a guarded counter is not exact or an operation was not acknowledged.
 */
public final class LoadTest implements Run {

    private final List<Cell> cells = new ArrayList<>();

    /** A bad network, the proxy that simulates it, and the operations over it. */
    private record Cell(double loss, Duration delay, TcpProxy proxy, Stage stage) {

        PopulationBuilder load() {
            return stage.over(Sending.newConnections(URI.create("http://127.0.0.1:" + proxy.port())));
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        SplittableRandom chance = new SplittableRandom(settings.integer("seed"));
        Plan plan = Plan.of(settings);
        double rate = settings.positive("rate");
        Stage warmUp = new Stage("warm-up", rate, settings.seconds("warm-up-seconds"), plan.calm(), chance.split());
        Stage noFaults =
                new Stage("no-faults", rate, settings.seconds("measured-seconds"), plan.calm(), chance.split());
        try (Database database = Database.start(settings);
                SampleApp app = SampleApp.start(settings, database)) {
            for (double loss : settings.shares("loss")) {
                for (Duration delay : settings.millisOfEach("delay-millis")) {
                    cells.add(open(loss, delay, app.address(), plan, settings, chance));
                }
            }
            GatlingRun.of(
                    () -> List.of(warmUp.over(Sending.keptConnections(app.address()))
                            .andThen(noFaults.over(Sending.keptConnections(app.address()))
                                    .andThen(faults(settings.shares("loss"))))),
                    settings);
            database.awaitIdle();
            Report report = report(noFaults, database);
            return new Findings(report, report.table(), List.of(), report.complaints(), database.servers());
        } finally {
            for (Cell cell : cells) {
                cell.proxy.close();
            }
        }
    }

    private static Cell open(
            double loss, Duration delay, URI app, Plan plan, Settings settings, SplittableRandom chance)
            throws IOException {
        String page = format("loss-%.4f-delay-%d", loss, delay.toMillis());
        TcpProxy proxy = TcpProxy.open(page, List.of(app.getPort()), () -> Relay.PLAIN);
        proxy.loseResponses(loss, chance.nextLong());
        proxy.delayEachChunkAtRandom(delay, chance.nextLong());
        Stage stage = new Stage(page, settings.positive("rate"), settings.seconds("seconds"), plan, chance.split());
        return new Cell(loss, delay, proxy, stage);
    }

    /** All losses in parallel; for each of them the delays one after the other. */
    private PopulationBuilder[] faults(List<Double> losses) {
        return losses.stream()
                .map(loss -> GatlingRun.oneAfterTheOther(cells.stream()
                        .filter(cell -> cell.loss == loss)
                        .map(Cell::load)
                        .toList()))
                .toArray(PopulationBuilder[]::new);
    }

    private Report report(Stage noFaults, Database database) throws SQLException {
        List<Report.Row> rows = new ArrayList<>();
        for (Cell cell : cells) {
            rows.add(cell.stage.row(cell.loss, cell.delay, database));
        }
        return Report.of(rows, noFaults.row(0, Duration.ZERO, database));
    }
}
