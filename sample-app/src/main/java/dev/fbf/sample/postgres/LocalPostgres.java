package dev.fbf.sample.postgres;

import dev.fbf.sample.connection.CuttableSocketFactory;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.FileSystemUtils;

/**
 * A real PostgreSQL server, run as a child process, with its data in a folder that outlives it. It keeps what it
 * acknowledged, as a production server does: the library that starts it would have it forget for the sake of speed. And it has a
 * password: that library would let each user of the machine in.
 */
final class LocalPostgres implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LocalPostgres.class);

    private static final String WITH_PASSWORD =
            "host all all 127.0.0.1/32 scram-sha-256\nhost all all ::1/128 scram-sha-256\n";

    private final DataDirectory directory;
    private final EmbeddedPostgres server;
    private final String password;

    private LocalPostgres(DataDirectory directory, EmbeddedPostgres server, String password) {
        this.directory = directory;
        this.server = server;
        this.password = password;
    }

    /**
     * Starts the server on the data in the folder; on none, if the folder is new.
     *
     * @throws DataDirectoryInUseException if another sample app works on that folder
     */
    static LocalPostgres start(Path folder) throws IOException, SQLException {
        DataDirectory directory = DataDirectory.open(folder);
        try {
            LeftBehindServer.stopAnyIn(directory.postgres());
            discardUnfinished(directory);
            String password = directory.postgresPassword();
            EmbeddedPostgres server = startServer(directory, password);
            requirePassword(directory, server, password);
            Files.write(directory.postgresFinished(), new byte[0]);
            log.info("PostgreSQL listens on port {}, its data is in {}", server.getPort(), directory.postgres());
            return new LocalPostgres(directory, server, password);
        } catch (IOException | SQLException | RuntimeException e) {
            stop(directory);
            throw e;
        }
    }

    /** A first start that was killed leaves half a data directory, in which nobody can have kept anything yet. */
    private static void discardUnfinished(DataDirectory directory) throws IOException {
        if (Files.notExists(directory.postgresFinished())) {
            FileSystemUtils.deleteRecursively(directory.postgres());
        }
    }

    private static EmbeddedPostgres startServer(DataDirectory directory, String password) throws IOException {
        // the log is a file, not a pipe: a server that outlives this process would find no reader at the other end
        Redirect log = Redirect.appendTo(directory.postgresLog().toFile());
        return EmbeddedPostgres.builder()
                .setDataDirectory(directory.postgres())
                .setCleanDataDirectory(false)
                // its own hook would stop the server under requests that a graceful shutdown still completes
                .setRegisterShutdownHook(false)
                .setConnectConfig("password", password)
                .setPGStartupWait(Duration.ofMinutes(1))
                .setOutputRedirector(log)
                .setErrorRedirector(log)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .start();
    }

    /** Sets the password in data directories of earlier versions, too. */
    private static void requirePassword(DataDirectory directory, EmbeddedPostgres server, String password)
            throws IOException, SQLException {
        Path rules = directory.postgres().resolve("pg_hba.conf");
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
        server.close();
        stop(directory);
    }

    /** Stops a server that the library has given up on at its start or end: only then is the folder free. */
    private static void stop(DataDirectory directory) throws IOException {
        try (directory) {
            LeftBehindServer.stopAnyIn(directory.postgres());
        }
    }
}
