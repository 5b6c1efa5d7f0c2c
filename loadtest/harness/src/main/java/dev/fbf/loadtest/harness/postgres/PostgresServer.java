package dev.fbf.loadtest.harness.postgres;

import dev.fbf.loadtest.harness.sql.SqlServer;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server on a fixed port, which keeps what it acknowledged ({@code fsync} and {@code synchronous_commit} are on), and
 * can be killed in every way. Thread-safe: while it is killed or stopped, nobody can start it.
 */
public final class PostgresServer extends PostgresEndpoint implements SqlServer {

    /** A setting for a server that is killed often: a short log of what is not yet in the tables makes a short recovery. */
    public static final String SHORT_RECOVERY = "checkpoint_timeout=30s";

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STOP = Duration.ofSeconds(20);
    private static final Duration AGAIN = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(10);

    private final Path data;
    private final Path log;
    private final Binaries binaries;
    private final List<String> settings;
    private final Thread hook;
    private List<String> launcher = List.of();
    private volatile @Nullable ChildProcess postmaster;

    private PostgresServer(Path data, Path log, int port, Binaries binaries, List<String> settings) {
        super(port, DATABASE);
        this.data = data;
        this.log = log;
        this.binaries = binaries;
        this.settings = settings;
        this.hook = new Thread(this::kill, "kill-postgres");
    }

    /**
     * Prepares a server, which is not running yet. One that an earlier run left behind on the directory is stopped.
     *
     * @param home of the programs: one home serves many directories
     * @param directory of the data and the log; what is in it is kept
     * @param settings more of its settings, as in {@code checkpoint_timeout=30s}
     */
    public static PostgresServer prepare(Path home, Path directory, int port, String... settings) throws IOException {
        Files.createDirectories(home);
        Path root = Files.createDirectories(directory).toRealPath();
        Path data = root.resolve("data");
        Path log = root.resolve("postgres.log");
        stopAnyIn(root);
        boolean made = Files.exists(root.resolve("made"));
        if (!made) {
            Directories.delete(data); // a first start that was killed leaves half of it
        }
        Binaries binaries = Binaries.in(home);
        if (!made) {
            binaries.initialise(data);
            Files.writeString(root.resolve("made"), "");
        }
        PostgresServer server = new PostgresServer(data, log, port, binaries, List.of(settings));
        Runtime.getRuntime().addShutdownHook(server.hook);
        return server;
    }

    /** Has the server started by another program, as in {@code env NAME=value}, which it replaces. */
    public synchronized PostgresServer startedBy(List<String> launcher) {
        this.launcher = launcher;
        return this;
    }

    /** Starts a server with an empty data directory, on a free port. */
    public static PostgresServer startNew(Path home, Path directory, String... settings)
            throws IOException, InterruptedException {
        stopAnyIn(directory);
        Directories.delete(directory);
        PostgresServer server = prepare(home, directory, FixedPorts.free(), settings);
        server.start();
        return server;
    }

    /** The command of a program that starts PostgreSQL, which refuses to run as root. */
    public static List<String> unprivileged(String... command) throws IOException {
        List<String> prefixed = new ArrayList<>(Binaries.asNobody());
        prefixed.addAll(List.of(command));
        return prefixed;
    }

    /** Kills the server that an earlier run left behind on the directory, if there is one, and waits until it is gone. */
    public static void stopAnyIn(Path directory) throws IOException {
        Path data = directory.resolve("data");
        if (Files.exists(data)) {
            ServerProcesses.killAll(null, data.toRealPath());
        }
    }

    /**
     * Starts the server; it recovers first, if it was killed. One that ends at once is started again: a process of the server
     * before may still be there for a moment after the kill, and the new one refuses to begin beside it.
     */
    @Override
    public void start() throws IOException, InterruptedException {
        boolean isReady = Waiting.<IOException>until(
                () -> {
                    launch();
                    return isReadyBeforeItEnds();
                },
                AGAIN);
        if (!isReady) {
            throw new IllegalStateException("PostgreSQL ends again and again on port " + port() + ": see " + log);
        }
    }

    private synchronized void launch() throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(binaries.server(data, port(), settings));
        postmaster = ChildProcess.logging(log, command);
    }

    /** Waits until the server answers queries. */
    @Override
    public void awaitReady() throws InterruptedException {
        if (!isReadyBeforeItEnds()) {
            throw new IllegalStateException("PostgreSQL has ended on port " + port() + ": see " + log);
        }
    }

    /** Waits until the server answers queries, which is true, or ends. */
    private boolean isReadyBeforeItEnds() throws InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (true) {
            try (Connection connection = connect()) {
                if (connection.isValid(1)) {
                    return true;
                }
            } catch (SQLException e) {
                ChildProcess process = postmaster;
                if (process == null || !process.isAlive()) {
                    return false;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("PostgreSQL does not answer on port " + port() + ": see " + log, e);
                }
            }
            Waiting.sleep(POLL);
        }
    }

    /** Kills the postmaster and everything it started with SIGKILL. What was not on disk is lost, as it may be. */
    @Override
    public synchronized void kill() {
        ChildProcess process = postmaster;
        if (process != null) {
            ServerProcesses.killAll(process.handle(), data);
        }
    }

    @Override
    public String user() {
        return USER;
    }

    @Override
    public String impatientUrl(int through, String database) {
        return url(through, database) + "?sslmode=disable&connectTimeout=2&loginTimeout=2&socketTimeout=3";
    }

    /**
     * Kills one backend with SIGKILL: the postmaster then ends all others, recovers and goes on.
     *
     * @return whether there was such a backend
     */
    @Override
    public boolean killBackend(long pid) {
        ChildProcess process = postmaster;
        return process != null
                && process.handle()
                        .descendants()
                        .filter(child -> child.pid() == pid)
                        .findFirst()
                        .map(ProcessHandle::destroyForcibly)
                        .orElse(false);
    }

    /** Ends one backend as an administrator does. */
    @Override
    public boolean terminateBackend(long pid) throws SQLException {
        return query("SELECT pg_terminate_backend(?::int)", row -> row.getBoolean(1), pid)
                .get(0);
    }

    /** Stops the server at once, without a checkpoint: it recovers at its next start. */
    @Override
    public void stopNow() throws IOException, InterruptedException {
        stop("QUIT");
    }

    private synchronized void stop(String signal) throws IOException, InterruptedException {
        ChildProcess process = postmaster;
        if (process != null && process.isAlive()) {
            process.signal(signal);
            if (!process.awaitEnd(STOP)) {
                kill();
            }
        }
    }

    /** The backends that serve clients, those in a transaction first. */
    @Override
    public List<Long> backends() throws SQLException {
        return query(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
                        + " AND pid <> pg_backend_pid() ORDER BY (state = 'idle'), pid",
                row -> row.getLong(1));
    }

    @Override
    public long openTransactions() throws SQLException {
        return number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                + " AND state <> 'idle' AND pid <> pg_backend_pid()");
    }

    @Override
    public String version() throws SQLException {
        return "PostgreSQL "
                + query("SHOW server_version", row -> row.getString(1)).get(0);
    }

    /** The postmaster: all its other processes are children of it. */
    public ProcessHandle process() {
        return Objects.requireNonNull(postmaster, "postmaster").handle();
    }

    /** Stops the server in order. */
    @Override
    public void close() throws IOException {
        try {
            stop("INT");
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
