package dev.fbf.loadtest.torture.postgres;

import java.io.IOException;
import java.nio.file.Path;

/** A server for tests: its data directory stays from one run to the next, as long as nothing cleans it. */
public final class SharedServer {

    private SharedServer() {}

    public static PostgresServer start() throws IOException, InterruptedException {
        Path directory = Path.of("target", "postgres-test");
        PostgresServer server =
                PostgresServer.prepare(directory.resolve("home"), directory.resolve("server"), FixedPorts.free());
        server.start();
        return server;
    }
}
