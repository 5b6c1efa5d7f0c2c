package dev.fbf.loadtest.harness.sql;

import dev.fbf.process.ChildProcess;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A MariaDB server, as it is installed on this machine, which syncs each COMMIT. */
public final class MariaDbServer implements SqlServer {

    private static final String DATABASE = "fbf";
    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STOP = Duration.ofSeconds(20);

    /** Excludes the database's own connection, and connections that are ending. */
    private static final String OTHERS =
            " FROM information_schema.processlist WHERE id <> connection_id() AND user = 'root' AND command <> 'Killed'";

    private static final String OPEN = "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx";

    private final List<String> command;
    private final Path log;
    private final int port;
    private @Nullable ChildProcess process;

    private MariaDbServer(List<String> command, Path log, int port) {
        this.command = command;
        this.log = log;
        this.port = port;
    }

    /** Returns whether the server's program is installed. */
    public static boolean isInstalled() {
        return find("mariadbd").isPresent();
    }

    private static Optional<Path> find(String program) {
        return Stream.of("/usr/sbin", "/usr/bin")
                .map(home -> Path.of(home, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static String program(String name) throws IOException {
        return find(name)
                .orElseThrow(() -> new IOException(name + " is missing: apt-get install mariadb-server"))
                .toString();
    }

    /** Starts a server with an empty data directory, on a free port. */
    public static MariaDbServer startNew(Path directory) throws IOException, InterruptedException, SQLException {
        Directories.delete(directory);
        Path root = Files.createDirectories(directory).toRealPath();
        Path log = root.resolve("mariadb.log");
        List<String> data = new ArrayList<>(List.of("--no-defaults", "--datadir=" + root.resolve("data")));
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
                "--max-connections=300",
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-buffer-pool-size=128M"));
        MariaDbServer server = new MariaDbServer(List.copyOf(command), log, port);
        server.start();
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE IF NOT EXISTS " + DATABASE);
        }
        return server;
    }

    @Override
    public void start() throws IOException, InterruptedException {
        synchronized (this) {
            process = ChildProcess.logging(log, command);
        }
        awaitReady();
    }

    @Override
    public void awaitReady() throws InterruptedException {
        ChildProcess current = current();
        if (current != null) {
            current.await(START, this::isReady);
        }
    }

    private synchronized @Nullable ChildProcess current() {
        return process;
    }

    private boolean isReady() {
        try (Connection connection = connect("")) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** The processor time that the server has used; zero where the machine does not tell. */
    public Duration processorTime() {
        ChildProcess current = current();
        return current == null ? Duration.ZERO : current.processorTime();
    }

    @Override
    public synchronized void kill() {
        if (process != null) {
            process.kill();
        }
    }

    /** Rolls back what is open. */
    @Override
    public synchronized void stopNow() {
        if (process != null) {
            process.stop(STOP);
        }
    }

    @Override
    public List<Long> backends() throws SQLException {
        return query("SELECT id" + OTHERS + " ORDER BY id NOT IN (" + OPEN + "), id", row -> row.getLong(1));
    }

    /** Interrupts the statement of a connection. */
    @Override
    public boolean killBackend(long id) throws SQLException {
        return kill("QUERY " + id);
    }

    @Override
    public boolean terminateBackend(long id) throws SQLException {
        return kill("CONNECTION " + id);
    }

    private boolean kill(String what) throws SQLException {
        try {
            execute("KILL HARD " + what);
            return true;
        } catch (SQLSyntaxErrorException e) {
            throw e;
        } catch (SQLException e) {
            return false; // it has ended by itself
        }
    }

    @Override
    public long openTransactions() throws SQLException {
        return number(
                "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id <> connection_id()");
    }

    @Override
    public String version() throws SQLException {
        return "MariaDB " + query("SELECT version()", row -> row.getString(1)).get(0);
    }

    @Override
    public Connection connect() throws SQLException {
        return connect(DATABASE);
    }

    @Override
    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(
                url(port, database) + "?connectTimeout=5000&socketTimeout=120000", user(), "");
    }

    private static String url(int port, String database) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + database;
    }

    @Override
    public String url() {
        return url(port, DATABASE);
    }

    @Override
    public String impatientUrl(int through, String database) {
        return url(through, database) + "?connectTimeout=2000&socketTimeout=3000&useBulkStmtsForInserts=false";
    }

    @Override
    public String database() {
        return DATABASE;
    }

    @Override
    public String user() {
        return "root";
    }

    @Override
    public int port() {
        return port;
    }

    /** Kills the server: its data is not needed any more. */
    @Override
    public void close() {
        kill();
    }
}
