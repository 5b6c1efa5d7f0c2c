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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The paper's figure 17: counts over networks that lose responses and delay what they pass on, with the guard and without.
 * Fails if a guarded counter is not exact.
 */
public final class NetworkTest implements Run {

    private final List<Cell> cells = new ArrayList<>();

    /** A network, the proxy that is it, and what happens over it. */
    private record Cell(double loss, Duration delay, TcpProxy proxy, Stage stage) {

        PopulationBuilder load() {
            return stage.over(Sending.newConnections(URI.create("http://127.0.0.1:" + proxy.port())));
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        SplittableRandom chance = new SplittableRandom(settings.integer("seed"));
        Plan plan = new Plan(
                settings.share("retries"),
                2,
                0,
                1,
                settings.atLeastOne("max-attempts"),
                settings.millis("give-up-after-millis"),
                settings.seconds("deadline-seconds"));
        double rate = settings.positive("rate");
        try (Database database = Database.start(settings);
                SampleApp app = SampleApp.start(settings, database)) {
            try {
                for (double loss : settings.shares("loss")) {
                    for (Duration delay : settings.millisOfEach("delay-millis")) {
                        open(loss, delay, app.address(), plan, settings, chance);
                    }
                }
                Stage good =
                        new Stage("warm-up", rate, settings.seconds("warm-up-seconds"), plan.calm(), chance.split());
                GatlingRun.of(() -> List.of(load(good, app.address(), settings.shares("loss"))), settings);
                database.awaitIdle();
                NetworkReport report = report(database);
                return new Findings(report, report.table(), List.of(), report.complaints(), database.servers());
            } finally {
                for (Cell cell : cells) {
                    cell.proxy().close();
                }
            }
        }
    }

    private void open(double loss, Duration delay, URI app, Plan plan, Settings settings, SplittableRandom chance)
            throws IOException {
        String page = format("loss-%.4f-delay-%d", loss, delay.toMillis());
        TcpProxy proxy = TcpProxy.open(page, List.of(app.getPort()), () -> Relay.PLAIN);
        proxy.loseResponses(loss, chance.nextLong());
        proxy.delayEachChunkAtRandom(delay, chance.nextLong());
        Stage stage = new Stage(page, settings.positive("rate"), settings.seconds("seconds"), plan, chance.split());
        cells.add(new Cell(loss, delay, proxy, stage));
    }

    /** At first a good network; then the losses side by side, and for each of them the delays one after the other. */
    private PopulationBuilder load(Stage good, URI app, List<Double> losses) {
        return good.over(Sending.newConnections(app))
                .andThen(losses.stream()
                        .map(loss -> GatlingRun.oneAfterTheOther(cells.stream()
                                .filter(cell -> cell.loss() == loss)
                                .map(Cell::load)
                                .toList()))
                        .toArray(PopulationBuilder[]::new));
    }

    private NetworkReport report(Database database) throws SQLException {
        List<NetworkReport.Row> rows = new ArrayList<>();
        for (Cell cell : cells) {
            Map<Endpoint, NetworkReport.Count> counts = new EnumMap<>(Endpoint.class);
            for (Endpoint endpoint : Endpoint.values()) {
                counts.put(
                        endpoint,
                        new NetworkReport.Count(
                                cell.stage().size(),
                                database.counter(endpoint, cell.stage().page()),
                                cell.stage().outcome(endpoint)));
            }
            rows.add(new NetworkReport.Row(cell.loss(), cell.delay().toMillis(), counts));
        }
        return new NetworkReport(rows);
    }
}
