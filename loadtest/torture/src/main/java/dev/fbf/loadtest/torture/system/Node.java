package dev.fbf.loadtest.torture.system;

import dev.fbf.core.filter.WatchedFilter;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.pgwire.DatabaseRelay;
import dev.fbf.loadtest.torture.pgwire.Interceptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** One application with the proxy between it and the database. */
final class Node implements AutoCloseable {

    /** The last shows a guarded transaction even without a witness. */
    private static final List<String> GUARDED_TABLES = List.of("fbf_witness", "fbf_ledger", "torture_applied");

    private static final int SOCKET_TIMEOUT_SECONDS = 3;

    /** Room for several filters of any size that a surge asks for. */
    private static final int DISK_MEGABYTES = 64;

    private final Interceptions interceptions;
    private final TcpProxy database;
    private final AppProcess app;
    private final Disk disk;
    private final WatchedFilter filter;
    private final FilterTally tally = new FilterTally();
    private final int port = FixedPorts.free();

    Node(Parameters parameters, int number, int databasePort, History history) throws IOException {
        interceptions = new Interceptions(what -> history.note(what + " at node " + number));
        database = TcpProxy.open(
                "database-" + number, List.of(databasePort), () -> new DatabaseRelay(interceptions, GUARDED_TABLES));
        Path directory = parameters.directory().resolve("node-" + number);
        Path files = directory.resolve("fbf").toAbsolutePath();
        disk = Disk.mount(files, DISK_MEGABYTES);
        filter = new WatchedFilter(files, TortureApplication.SCOPE);
        List<String> jvm = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
        jvm.addAll(parameters.jvm());
        List<String> arguments = new ArrayList<>(List.of(
                "--torture.counters=true",
                "--server.tomcat.threads.max=24",
                "--spring.datasource.hikari.maximum-pool-size=10",
                "--spring.datasource.hikari.connection-timeout=1000",
                "--spring.datasource.hikari.validation-timeout=500",
                // though there are others: while they are down it gets everything
                "--fbf.expected-operations-per-second=" + parameters.rate(),
                "--fbf.mode=" + parameters.mode(),
                "--logging.level.dev.fbf.db.Settler=debug",
                "--fbf.retry-window=" + parameters.window().toMillis() + "ms"));
        arguments.addAll(parameters.arguments());
        String url = PostgresServer.url(database.port()) + "?connectTimeout=2&loginTimeout=2&socketTimeout="
                + SOCKET_TIMEOUT_SECONDS;
        app = new AppProcess(
                AppProcess.Command.ofApplication(jvm, port, url, files, arguments)
                        .readyAt(parameters.readyPath()),
                directory,
                "app");
    }

    AppProcess app() {
        return app;
    }

    Disk disk() {
        return disk;
    }

    /** The application's filter, from outside. */
    WatchedFilter filter() {
        return filter;
    }

    /** What has happened to the filter. */
    FilterTally tally() {
        return tally;
    }

    /** How often the application, in all its lives, has settled what was in doubt in one way. */
    long settledAs(String outcome) throws IOException {
        return logged(line -> line.endsWith(": settled as " + outcome + "."));
    }

    /** How often the application, in all its lives, has warned that its filter found no room to grow. */
    long warningsOfNoRoom() throws IOException {
        return logged(line -> line.contains("AdaptiveFilter") && line.contains("to spare"));
    }

    private long logged(Predicate<String> line) throws IOException {
        try (Stream<String> lines = Files.lines(app.log())) {
            return lines.filter(line).count();
        }
    }

    TcpProxy database() {
        return database;
    }

    Interceptions interceptions() {
        return interceptions;
    }

    int port() {
        return port;
    }

    @Override
    public void close() throws IOException {
        app.close();
        database.close();
        disk.close();
    }
}
