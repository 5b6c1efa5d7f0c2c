package dev.fbf.spring.database;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A MariaDB of the tests' own, on a free port and in a temporary directory, which syncs each COMMIT. Stopped at the end of the run. Where
 * MariaDB is not installed the tests are skipped, unless {@code FBF_MARIADB_REQUIRED} is set.
 */
final class MariaDb implements AutoCloseable {

    private static final String PASSWORD = "secret";

    private final ProcessBuilder program;
    private final Path directory;
    private final int port;
    private Process process;

    private MariaDb(ProcessBuilder program, Path directory, int port) throws IOException {
        this.program = program;
        this.directory = directory;
        this.port = port;
        process = program.start();
    }

    /** Gives the server to constructors of tests. */
    static final class Extension implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == MariaDb.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            Optional<Path> server = program("mariadbd");
            boolean required = System.getenv("FBF_MARIADB_REQUIRED") != null;
            assumeTrue(server.isPresent() || required, "skipped: MariaDB is not installed");
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create("mariadb"))
                    .computeIfAbsent(MariaDb.class, key -> start(server.orElseThrow()), MariaDb.class);
        }
    }

    private static Optional<Path> program(String name) {
        return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin")
                .map(home -> Path.of(home, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static MariaDb start(Path server) {
        try {
            Path directory = Files.createTempDirectory("fbf-mariadb");
            List<String> options = new ArrayList<>(List.of("--no-defaults", "--datadir=" + directory.resolve("data")));
            if (System.getProperty("user.name").equals("root")) {
                options.add("--user=root");
            }
            run(
                    directory,
                    program("mariadb-install-db").orElseThrow(),
                    options,
                    "--auth-root-authentication-method=normal",
                    "--skip-test-db");
            int port = freePort();
            ProcessBuilder program = process(
                    directory,
                    server,
                    options,
                    "--port=" + port,
                    "--bind-address=127.0.0.1",
                    "--socket=" + directory.resolve("socket"),
                    "--pid-file=" + directory.resolve("pid"),
                    "--innodb-flush-log-at-trx-commit=1",
                    "--innodb-buffer-pool-size=32M");
            MariaDb started = new MariaDb(program, directory, port);
            started.awaitResponse();
            JdbcClient root = JdbcClient.create(started.root("mariadb"));
            root.sql("CREATE USER app IDENTIFIED BY '" + PASSWORD + "'").update();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(Path directory, Path program, List<String> options, String... more) throws IOException {
        try {
            if (process(directory, program, options, more).start().waitFor() != 0) {
                throw new IOException(Files.readString(directory.resolve("log")));
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static ProcessBuilder process(Path directory, Path program, List<String> options, String... more) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(options);
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Kills the server with SIGKILL. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Starts the server after {@link #kill}. */
    void startAgain() throws IOException {
        process = program.start();
        awaitResponse();
    }

    private void awaitResponse() {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(this::responds);
    }

    private boolean responds() {
        try (Connection connection = root("mariadb").getConnection()) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** The server's administrator. */
    DataSource root(String driver) {
        return new DriverManagerDataSource(url(driver, ""), "root", "");
    }

    /** A database, which is created if it does not exist, as a user that may do everything there. */
    DataSource database(String driver, String name) {
        JdbcClient root = JdbcClient.create(root("mariadb"));
        root.sql("CREATE DATABASE IF NOT EXISTS " + name).update();
        root.sql("GRANT ALL ON " + name + ".* TO app").update();
        return new DriverManagerDataSource(url(driver, name), "app", PASSWORD);
    }

    private String url(String driver, String database) {
        return "jdbc:" + driver + "://127.0.0.1:" + port + "/" + database;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
        FileSystemUtils.deleteRecursively(directory);
    }
}
