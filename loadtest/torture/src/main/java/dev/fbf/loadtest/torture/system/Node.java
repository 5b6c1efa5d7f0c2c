package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.pgwire.DatabaseRelay;
import dev.fbf.loadtest.torture.pgwire.Interceptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One application with the proxy between it and the database.
 *
 * @param tally what has happened to the application's filter
 */
record Node(AppProcess app, TcpProxy database, Interceptions interceptions, Disk disk, FilterTally tally)
        implements AutoCloseable {

    /** The last shows a guarded transaction even without a witness. */
    private static final List<String> GUARDED_TABLES = List.of("fbf_witness", "fbf_ledger", "torture_applied");

    private static final String TIMEOUTS = "?connectTimeout=2&loginTimeout=2&socketTimeout=3";

    /** Room for several filters of any size that a surge asks for. */
    private static final int DISK_MEGABYTES = 64;

    static Node of(Settings settings, int number, int databasePort, History history) throws IOException {
        Interceptions interceptions = new Interceptions(what -> history.note(what + " at node " + number));
        TcpProxy database = TcpProxy.open(
                "database-" + number, List.of(databasePort), () -> new DatabaseRelay(interceptions, GUARDED_TABLES));
        Path directory = settings.directory().resolve("node-" + number);
        Path files = directory.resolve("fbf");
        Disk disk = Disk.mount(files, DISK_MEGABYTES);
        List<String> jvm = new ArrayList<>(settings.words("app-jvm"));
        jvm.addAll(TortureAgent.options(directory, settings.text("broken")));
        List<String> arguments = new ArrayList<>(List.of(
                "--torture.counters=true",
                "--management.endpoints.web.exposure.include=health,fbf",
                "--server.tomcat.threads.max=24",
                "--spring.datasource.hikari.maximum-pool-size=10",
                "--spring.datasource.hikari.connection-timeout=1000",
                "--spring.datasource.hikari.validation-timeout=500",
                // though there are others: while they are down it gets everything
                "--fbf.expected-operations-per-second=" + settings.positive("rate"),
                "--fbf.mode=" + settings.text("mode"),
                "--logging.level.dev.fbf.db.witness.Settler=debug",
                "--fbf.retry-window=" + settings.seconds("window-seconds").toMillis() + "ms"));
        arguments.addAll(settings.words("app-arguments"));
        AppProcess app = AppProcess.of(
                FixedPorts.free(),
                directory.resolve("app.log"),
                jvm,
                PostgresServer.url(database.port()) + TIMEOUTS,
                files,
                arguments);
        return new Node(app, database, interceptions, disk, new FilterTally());
    }

    /** How often the application, in all its lives, has settled what was in doubt in one way. */
    long settledAs(String outcome) {
        return app.logged(line -> line.endsWith(": settled as " + outcome + "."));
    }

    /** How often the application, in all its lives, has warned that its filter found no room to grow. */
    long warningsOfNoRoom() {
        return app.logged(line -> line.contains("AdaptiveFilter") && line.contains("to spare"));
    }

    @Override
    public void close() throws IOException {
        app.close();
        database.close();
        disk.close();
    }
}
