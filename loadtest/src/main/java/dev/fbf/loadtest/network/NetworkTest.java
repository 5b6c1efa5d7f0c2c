package dev.fbf.loadtest.network;

import static io.gatling.javaapi.core.CoreDsl.rampUsers;

import dev.fbf.loadtest.Database;
import dev.fbf.loadtest.Endpoint;
import dev.fbf.loadtest.GatlingRun;
import dev.fbf.loadtest.Operation;
import dev.fbf.loadtest.Plan;
import dev.fbf.loadtest.ReportJson;
import dev.fbf.loadtest.RunFiles;
import dev.fbf.loadtest.SampleApp;
import dev.fbf.loadtest.Sending;
import dev.fbf.loadtest.Settings;
import dev.fbf.loadtest.Stage;
import dev.fbf.loadtest.proxy.Relay;
import dev.fbf.loadtest.proxy.TcpProxy;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Counts over networks that lose and delay, with the guard and without. */
public final class NetworkTest {

    private final NetworkParameters parameters;
    private final SplittableRandom chance;
    private final List<Cell> cells = new ArrayList<>();

    /** A network, the proxy that is it, and what happens over it. */
    private record Cell(Network network, TcpProxy proxy, Stage stage) {}

    private NetworkTest(NetworkParameters parameters) {
        this.parameters = parameters;
        this.chance = new SplittableRandom(parameters.seed());
    }

    /** Ends the JVM with 0 if the guarded counters are exact over every network, else with 1. */
    public static void main(String[] args) throws Exception {
        NetworkParameters parameters = NetworkParameters.from(new Settings(System::getProperty, "loadtest.network."));
        RunFiles files = RunFiles.ofSystemProperties();
        NetworkReport report = new NetworkTest(parameters).run(files);
        ReportJson.write(report, files.result("loadtest-network.json"));
        System.out.print(NetworkTable.of(report));
        System.out.flush();
        System.exit(report.complaints().isEmpty() ? 0 : 1);
    }

    private NetworkReport run(RunFiles files) throws IOException, InterruptedException, SQLException {
        try (Database database = Database.start(files.directory());
                SampleApp app = SampleApp.start(files.app(), files.directory(), database.url())) {
            try {
                for (Network network : Network.grid(parameters.losses(), parameters.delays())) {
                    cells.add(open(network, app.address()));
                }
                Plan warmUp = Plan.calm(parameters.warmUpOperations());
                Stage good = stage("warm-up", warmUp);
                GatlingRun.of(() -> List.of(load(good, app.address())), files.gatling());
                database.awaitIdle();
                return report(database);
            } finally {
                for (Cell cell : cells) {
                    cell.proxy().close();
                }
            }
        }
    }

    private Cell open(Network network, URI app) throws IOException {
        TcpProxy proxy = TcpProxy.open(network.page(), List.of(app.getPort()), () -> Relay.PLAIN);
        proxy.loseAnswers(network.loss(), chance.nextLong());
        proxy.delayEachChunkAtRandom(network.delay(), chance.nextLong());
        return new Cell(network, proxy, stage(network.page(), parameters.plan()));
    }

    private Stage stage(String page, Plan plan) {
        return new Stage(page, plan, parameters.patience(), Operation.draw(plan, chance.split()));
    }

    /** The losses side by side, and for each of them the delays one after the other. */
    private PopulationBuilder load(Stage good, URI app) {
        List<PopulationBuilder> chains = new ArrayList<>();
        for (double loss : parameters.losses()) {
            List<Cell> same =
                    cells.stream().filter(cell -> cell.network().loss() == loss).toList();
            PopulationBuilder chain = load(same.get(same.size() - 1));
            for (int i = same.size() - 2; i >= 0; i--) {
                chain = load(same.get(i)).andThen(chain);
            }
            chains.add(chain);
        }
        return Sending.each(good)
                .injectOpen(rampUsers(good.size()).during(parameters.warmUpDuration()))
                .protocols(Sending.newConnections(app))
                .andThen(chains.toArray(PopulationBuilder[]::new));
    }

    private PopulationBuilder load(Cell cell) {
        URI address = URI.create("http://127.0.0.1:" + cell.proxy().port());
        return Sending.each(cell.stage())
                .injectOpen(rampUsers(cell.stage().size()).during(parameters.duration()))
                .protocols(Sending.newConnections(address));
    }

    private NetworkReport report(Database database) throws SQLException {
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
