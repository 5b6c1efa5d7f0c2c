package dev.fbf.loadtest.network;

import static io.gatling.javaapi.core.CoreDsl.rampUsers;

import dev.fbf.loadtest.Database;
import dev.fbf.loadtest.Endpoint;
import dev.fbf.loadtest.GatlingRun;
import dev.fbf.loadtest.Operation;
import dev.fbf.loadtest.Plan;
import dev.fbf.loadtest.SampleApp;
import dev.fbf.loadtest.Sending;
import dev.fbf.loadtest.Stage;
import dev.fbf.loadtest.harness.Findings;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Counts over networks that lose and delay, with the guard and without. Fails if a guarded counter is not exact. */
public final class NetworkTest implements Run {

    private final List<Cell> cells = new ArrayList<>();

    /** A network, the proxy that is it, and what happens over it. */
    private record Cell(Network network, TcpProxy proxy, Stage stage) {}

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        NetworkParameters parameters = NetworkParameters.from(settings);
        SplittableRandom chance = new SplittableRandom(parameters.seed());
        try (Database database = Database.start(settings.directory());
                SampleApp app = SampleApp.start(
                        SampleApp.jar(settings),
                        settings.directory(),
                        database.server().url())) {
            try {
                for (Network network : Network.grid(parameters.losses(), parameters.delays())) {
                    cells.add(open(network, app.address(), parameters, chance));
                }
                Stage good = stage("warm-up", Plan.calm(parameters.warmUpOperations()), parameters, chance);
                GatlingRun.of(() -> List.of(load(good, app.address(), parameters)), settings);
                database.awaitIdle();
                NetworkReport report = report(database, parameters);
                return new Findings(
                        report, NetworkTable.of(report), List.of(), report.complaints(), database.servers());
            } finally {
                for (Cell cell : cells) {
                    cell.proxy().close();
                }
            }
        }
    }

    private static Cell open(Network network, URI app, NetworkParameters parameters, SplittableRandom chance)
            throws IOException {
        TcpProxy proxy = TcpProxy.open(network.page(), List.of(app.getPort()), () -> Relay.PLAIN);
        proxy.loseResponses(network.loss(), chance.nextLong());
        proxy.delayEachChunkAtRandom(network.delay(), chance.nextLong());
        return new Cell(network, proxy, stage(network.page(), parameters.plan(), parameters, chance));
    }

    private static Stage stage(String page, Plan plan, NetworkParameters parameters, SplittableRandom chance) {
        return new Stage(page, plan, parameters.timeouts(), Operation.draw(plan, chance.split()));
    }

    /** The losses side by side, and for each of them the delays one after the other. */
    private PopulationBuilder load(Stage good, URI app, NetworkParameters parameters) {
        List<PopulationBuilder> chains = new ArrayList<>();
        for (double loss : parameters.losses()) {
            List<Cell> same =
                    cells.stream().filter(cell -> cell.network().loss() == loss).toList();
            PopulationBuilder chain = load(same.get(same.size() - 1), parameters);
            for (int i = same.size() - 2; i >= 0; i--) {
                chain = load(same.get(i), parameters).andThen(chain);
            }
            chains.add(chain);
        }
        return Sending.each(good)
                .injectOpen(rampUsers(good.size()).during(parameters.warmUpDuration()))
                .protocols(Sending.newConnections(app))
                .andThen(chains.toArray(PopulationBuilder[]::new));
    }

    private static PopulationBuilder load(Cell cell, NetworkParameters parameters) {
        URI address = URI.create("http://127.0.0.1:" + cell.proxy().port());
        return Sending.each(cell.stage())
                .injectOpen(rampUsers(cell.stage().size()).during(parameters.duration()))
                .protocols(Sending.newConnections(address));
    }

    private NetworkReport report(Database database, NetworkParameters parameters) throws SQLException {
        List<NetworkReport.Row> rows = new ArrayList<>();
        for (Cell cell : cells) {
            Map<Endpoint, NetworkReport.Count> counts = new EnumMap<>(Endpoint.class);
            for (Endpoint endpoint : Endpoint.values()) {
                counts.put(
                        endpoint,
                        new NetworkReport.Count(
                                parameters.operations(),
                                database.counter(endpoint, cell.stage().page()),
                                cell.stage().outcome(endpoint)));
            }
            rows.add(new NetworkReport.Row(
                    cell.network().loss(), cell.network().delay().toMillis(), counts));
        }
        return new NetworkReport(parameters, rows);
    }
}
