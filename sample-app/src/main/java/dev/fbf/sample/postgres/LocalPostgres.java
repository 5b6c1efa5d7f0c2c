package dev.fbf.sample.postgres;

import dev.fbf.sample.connection.CuttableSocketFactory;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * PostgreSQL server in a child process, with its data in a folder that outlives it. Unlike the defaults of the library that starts it, the
 * server keeps what it acknowledged, and asks for a password.
 */
final class LocalPostgres implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LocalPostgres.class);

    private static final String WITH_PASSWORD =
            "host all all 127.0.0.1/32 scram-sha-256\nhost all all ::1/128 scram-sha-256\n";

    private static final Duration LONGEST_STOP = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(20);

    private final FileChannel lock;
    private final EmbeddedPostgres server;
    private final String password;

    private LocalPostgres(FileChannel lock, EmbeddedPostgres server, String password) {
        this.lock = lock;
        this.server = server;
        this.password = password;
    }

    /**
     * Starts the server on the data in the folder, which it creates at first.
     *
     * @throws IllegalStateException if another process of this application uses the folder
     */
    static LocalPostgres start(Path folder) throws IOException, SQLException {
        Path data = Files.createDirectories(folder).toRealPath();
        FileChannel lock =
                FileChannel.open(data.resolve("sample.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock.tryLock() == null) {
            lock.close();
            throw new IllegalStateException("Another sample app uses " + data
                    + ": stop it, or give this one a folder of its own with --sample.data-directory=<folder>");
        }
        stopLeftBehind(data.resolve("postgres"));
        String password = password(data.resolve("postgres.password"));
        EmbeddedPostgres server = start(data, password);
        requirePassword(server, data.resolve("postgres/pg_hba.conf"), password);
        log.info("PostgreSQL listens on port {}, its data is in {}", server.getPort(), data);
        return new LocalPostgres(lock, server, password);
    }

    /** Stops the server of an application that was killed. */
    private static void stopLeftBehind(Path data) throws IOException {
        Path pidFile = data.resolve("postmaster.pid");
        List<String> lines = Files.exists(pidFile) ? Files.readAllLines(pidFile) : List.of();
        if (lines.isEmpty()) {
            return;
        }
        ProcessHandle process =
                ProcessHandle.of(Long.parseLong(lines.get(0).strip())).orElse(null);
        if (process == null || !process.info().command().orElse("").contains("postgres")) {
            Files.delete(pidFile); // the pid is another process's now, for which PostgreSQL would refuse to start
            return;
        }
        process.destroy();
        for (long start = System.nanoTime(); Files.exists(pidFile); LockSupport.parkNanos(POLL.toNanos())) {
            if (System.nanoTime() - start > LONGEST_STOP.toNanos()) {
                throw new IllegalStateException(
                        "The PostgreSQL server with pid " + process.pid() + " does not stop: end its sessions");
            }
        }
    }

    private static String password(Path file) throws IOException {
        if (Files.notExists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, UUID.randomUUID().toString());
        }
        return Files.readString(file);
    }

    private static EmbeddedPostgres start(Path data, String password) throws IOException {
        // a file, not a pipe: a server that outlives this process would find no reader
        Redirect output = Redirect.appendTo(data.resolve("postgres.log").toFile());
        return EmbeddedPostgres.builder()
                .setDataDirectory(data.resolve("postgres"))
                .setCleanDataDirectory(false)
                // its own hook would stop the server under requests that a graceful shutdown still completes
                .setRegisterShutdownHook(false)
                .setConnectConfig("password", password)
                .setPGStartupWait(Duration.ofMinutes(1))
                .setOutputRedirector(output)
                .setErrorRedirector(output)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .start();
    }

    private static void requirePassword(EmbeddedPostgres server, Path rules, String password)
            throws IOException, SQLException {
        if (!Files.readString(rules).equals(WITH_PASSWORD)) {
            try (Connection connection = server.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("ALTER ROLE current_user PASSWORD '" + password + "'");
                Files.writeString(rules, WITH_PASSWORD);
                statement.execute("SELECT pg_reload_conf()");
            }
        }
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://localhost:" + server.getPort() + "/postgres?socketFactory="
                + CuttableSocketFactory.class.getName();
    }

    @Override
    public String getUsername() {
        return "postgres";
    }

    @Override
    public String getPassword() {
        return password;
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            server.close();
        }
    }
}
