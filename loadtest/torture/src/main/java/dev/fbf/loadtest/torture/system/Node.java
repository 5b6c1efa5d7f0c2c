package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Http;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.pgwire.DatabaseRelay;
import dev.fbf.loadtest.torture.pgwire.Interceptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One application with the proxy between it and the database. */
record Node(AppProcess app, TcpProxy database, Interceptions interceptions, Disk disk) implements AutoCloseable {

    private static final String TIMEOUTS = "?sslmode=disable&connectTimeout=2&loginTimeout=2&socketTimeout=3";

    /** Room for several filters of any size that a surge asks for. */
    private static final int DISK_MEGABYTES = 64;

    static Node of(Settings settings, int number, int databasePort, History history) throws IOException {
        Interceptions interceptions = new Interceptions(what -> history.note(what + " at node " + number));
        TcpProxy database =
                TcpProxy.open("database-" + number, List.of(databasePort), () -> new DatabaseRelay(interceptions));
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
        return new Node(app, database, interceptions, disk);
    }

    /**
     * A filter.
     *
     * @param bytes of the arena that gets new operations
     * @param estimatedFpp its own estimate of its false positive probability
     */
    record Filter(long bytes, double estimatedFpp) {}

    /** The filter as the application shows it; empty if the application is down. */
    Optional<Filter> filter() throws InterruptedException {
        return Http.exchange(Http.get(app.port(), "/actuator/fbf/" + TortureApplication.SCOPE), Duration.ofSeconds(5))
                .filter(response -> response.statusCode() == 200)
                .map(response -> JsonMapper.shared().readTree(response.body()))
                .map(filter -> new Filter(
                        bytes(filter), filter.required("estimatedFpp").asDouble()));
    }

    private static long bytes(JsonNode filter) {
        return filter.required("arenas").required(0).required("bytes").asLong();
    }

    @Override
    public void close() throws IOException {
        app.close();
        database.close();
        disk.close();
    }
}
