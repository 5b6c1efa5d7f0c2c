package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.harness.sql.MariaDbServer;
import dev.fbf.loadtest.harness.sql.SqlServer;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.situations.SituationApplication;
import dev.fbf.loadtest.torture.wire.DatabaseRelay;
import dev.fbf.loadtest.torture.wire.Interceptions;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One application with the proxy between it and the database. */
record Node(AppProcess app, TcpProxy database, Interceptions interceptions) implements AutoCloseable {

    static Node of(Settings settings, int number, SqlServer server, History history) throws IOException {
        Interceptions interceptions = new Interceptions(what -> history.note(what + " at node " + number));
        boolean onMariaDb = server instanceof MariaDbServer;
        TcpProxy database = TcpProxy.open(
                "database-" + number,
                List.of(server.port()),
                () -> onMariaDb ? DatabaseRelay.ofMariaDb(interceptions) : DatabaseRelay.ofPostgres(interceptions));
        Path directory = settings.directory().resolve("node-" + number);
        Directories.delete(directory);
        Path files = Files.createDirectories(directory).resolve("fbf");
        List<String> jvm = TortureAgent.options(directory, settings.text("broken"));
        boolean inSituations = settings.flag("situations");
        List<String> arguments = AppProcess.onDatabase(
                server.impatientUrl(database.port(), server.database()),
                server.user(),
                files,
                List.of(
                        "--torture.second=" + server.impatientUrl(database.port(), Database.SECOND),
                        "--server.tomcat.threads.max=24",
                        "--spring.datasource.hikari.maximum-pool-size=10",
                        "--spring.datasource.hikari.connection-timeout=1000",
                        "--spring.datasource.hikari.validation-timeout=500",
                        // though there are others: while they are down it gets everything
                        "--fbf.expected-operations-per-second=" + settings.positive("rate"),
                        "--fbf.mode=" + settings.text("mode"),
                        "--logging.level.dev.fbf.db.witness.Settler=debug",
                        "--fbf.retry-window="
                                + settings.seconds("window-seconds").toMillis() + "ms"));
        arguments.addAll(settings.words("app-arguments"));
        AppProcess app = new AppProcess(
                inSituations ? SituationApplication.class : TortureApplication.class,
                FixedPorts.free(),
                directory.resolve("app.log"),
                jvm,
                arguments);
        return new Node(app, database, interceptions);
    }

    @Override
    public void close() throws IOException {
        app.close();
        database.close();
    }
}
