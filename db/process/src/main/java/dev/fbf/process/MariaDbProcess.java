package dev.fbf.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A MariaDB server, as it is installed on this machine, on a fixed port, which syncs each COMMIT. Its user root needs no password.
 * Thread-safe.
 */
public final class MariaDbProcess implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STOP = Duration.ofSeconds(20);

    private final List<String> command;
    private final Path log;
    private final int port;
    private ChildProcess process;

    private MariaDbProcess(List<String> command, Path log, int port) throws IOException {
        this.command = command;
        this.log = log;
        this.port = port;
        process = ChildProcess.logging(log, command);
    }

    /** Returns whether the server's program is installed. */
    public static boolean isInstalled() {
        return find("mariadbd").isPresent();
    }

    private static Optional<Path> find(String program) {
        return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin")
                .map(home -> Path.of(home, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static String program(String name) throws IOException {
        return find(name)
                .orElseThrow(() -> new IOException(name + " is missing: apt-get install mariadb-server"))
                .toString();
    }

    /** Starts a server with an empty data directory, on a free port; returns when it answers queries. */
    public static MariaDbProcess startNew(Path directory, String... options) throws IOException, InterruptedException {
        Directories.delete(directory);
        Path root = Files.createDirectories(directory).toRealPath();
        Path log = root.resolve("mariadb.log");
        // a server that starts deletes other servers' temporary tables in a directory that they share
        List<String> data =
                new ArrayList<>(List.of("--no-defaults", "--datadir=" + root.resolve("data"), "--tmpdir=" + root));
        if (System.getProperty("user.name").equals("root")) {
            data.add("--user=root");
        }
        List<String> install = new ArrayList<>(List.of(program("mariadb-install-db")));
        install.addAll(data);
        install.addAll(List.of("--auth-root-authentication-method=normal", "--skip-test-db"));
        try (ChildProcess installed = ChildProcess.logging(log, install)) {
            if (installed.awaitExit() != 0) {
                throw new IOException("mariadb-install-db failed: see " + log);
            }
        }
        int port = FixedPorts.free();
        List<String> command = new ArrayList<>(List.of(program("mariadbd")));
        command.addAll(data);
        command.addAll(List.of(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + Files.createTempDirectory("fbf").resolve("socket"), // a path that is short enough
                "--pid-file=" + root.resolve("pid"),
                "--innodb-flush-log-at-trx-commit=1"));
        command.addAll(List.of(options));
        MariaDbProcess server = new MariaDbProcess(List.copyOf(command), log, port);
        server.awaitReady();
        return server;
    }

    /** Starts the server again, which recovers first if it was killed; returns when it answers queries. */
    public void start() throws IOException, InterruptedException {
        synchronized (this) {
            process = ChildProcess.logging(log, command);
        }
        awaitReady();
    }

    /** Waits until the server answers queries. */
    public void awaitReady() throws InterruptedException {
        current().await(START, this::isReady);
    }

    private boolean isReady() {
        try (Connection connection = DriverManager.getConnection(url("mariadb", ""), "root", "")) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    private synchronized ChildProcess current() {
        return process;
    }

    /** The processor time that the server has used; zero where the machine does not tell. */
    public Duration processorTime() {
        return current().processorTime();
    }

    public int port() {
        return port;
    }

    /** The URL of a database, for MariaDB's driver or {@code mysql}. */
    public String url(String driver, String database) {
        return "jdbc:" + driver + "://127.0.0.1:" + port + "/" + database;
    }

    /** Kills the server with SIGKILL. */
    public void kill() {
        current().kill();
    }

    /** Stops the server, which rolls back what is open. */
    public void stop() {
        current().stop(STOP);
    }

    /** Kills the server: its data is not needed any more. */
    @Override
    public void close() {
        kill();
    }
}
