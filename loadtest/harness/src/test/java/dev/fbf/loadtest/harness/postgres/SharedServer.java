package dev.fbf.loadtest.harness.postgres;

import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A server that runs as long as the tests of a class, and is without tables before each: its data directory stays from one run to
 * the next, as long as nothing cleans it. Each JVM of a test run has a server of its own.
 */
public final class SharedServer implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {

    private static final Path DIRECTORY =
            Path.of("target", "postgres-test", "server-" + System.getProperty("test.fork", "1"));

    private @Nullable PostgresServer server;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        server = start();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        get().execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (server != null) {
            server.close();
        }
    }

    public PostgresServer get() {
        return Objects.requireNonNull(server);
    }

    private static PostgresServer start() throws IOException, InterruptedException {
        PostgresServer server = PostgresServer.prepare(
                Path.of("..", "target", "postgres"), DIRECTORY, FixedPorts.free(), PostgresServer.SHORT_RECOVERY);
        server.start();
        return server;
    }
}
