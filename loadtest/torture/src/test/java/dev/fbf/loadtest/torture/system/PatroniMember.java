package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.postgres.PostgresEndpoint;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Http;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A host of a cluster: Patroni, and the PostgreSQL that it starts. Both are killed, frozen and thawed together. */
final class PatroniMember implements AutoCloseable {

    private static final Duration RESPONSE = Duration.ofSeconds(1);
    private static final Duration REQUEST = Duration.ofMinutes(2);

    private final String name;
    private final Path directory;
    private final String program;
    private final int port = FixedPorts.free();
    private final int apiPort = FixedPorts.free();
    private final Thread hook = new Thread(this::killAtEnd, "kill-member");
    private volatile @Nullable ChildProcess process;
    private volatile boolean frozen;

    PatroniMember(String name, Path directory, String program) {
        this.name = name;
        this.directory = directory;
        this.program = program;
    }

    /** Writes its configuration, and starts it. */
    void startFirst(Path binaries, int etcdPort) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(configuration(), """
                scope: fbf
                name: %1$s
                etcd:
                  host: 127.0.0.1:%2$d
                restapi:
                  listen: 127.0.0.1:%3$d
                  connect_address: 127.0.0.1:%3$d
                bootstrap:
                  dcs:
                    ttl: 20
                    loop_wait: 2
                    retry_timeout: 5
                    synchronous_mode: true
                    postgresql:
                      use_pg_rewind: true
                      use_slots: true
                      parameters:
                        max_connections: 100
                        wal_log_hints: on
                  initdb:
                    - encoding: UTF8
                    - data-checksums
                    - auth: trust
                postgresql:
                  listen: 127.0.0.1:%4$d
                  connect_address: 127.0.0.1:%4$d
                  data_dir: %5$s/data
                  bin_dir: %6$s
                  pgpass: %5$s/pgpass
                  basebackup:
                    - checkpoint: fast
                  authentication:
                    superuser:
                      username: %7$s
                    replication:
                      username: replicator
                      password: replicator
                  pg_hba:
                    - host all all 127.0.0.1/32 trust
                    - host replication all 127.0.0.1/32 trust
                  parameters:
                    unix_socket_directories: ''
                """.formatted(
                        name, etcdPort, apiPort, port, directory, binaries, PostgresEndpoint.USER));
        Runtime.getRuntime().addShutdownHook(hook);
        start();
    }

    void start() throws IOException {
        process = ChildProcess.logging(
                directory.resolve("patroni.log"),
                PostgresServer.unprivileged(program, configuration().toString()));
    }

    private Path configuration() {
        return directory.resolve("patroni.yml");
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    int apiPort() {
        return apiPort;
    }

    /** Whether Patroni answers 200 to a health check, as in {@code /primary}. */
    boolean is(String role) throws InterruptedException {
        return !frozen && Http.status(Http.get(apiPort, role), RESPONSE) == 200;
    }

    /** Asks Patroni for something that takes a while; returns whether it has done that. */
    boolean ask(String path, String json) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + apiPort + path))
                .timeout(REQUEST)
                .POST(BodyPublishers.ofString(json))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode() == 200;
    }

    /** Has a replica's directory emptied, and copied from the leader; returns when that has begun. */
    void reinitialize() throws IOException, InterruptedException {
        if (!ask("/reinitialize", "{\"force\": true}") || !Waiting.until(() -> !is("/replica"), REQUEST)) {
            throw new IllegalStateException(name + " is not reinitialized");
        }
    }

    /** Kills Patroni first, which else would start PostgreSQL again. */
    void kill() throws IOException {
        ChildProcess current = process;
        if (current != null) {
            // one of them may be about to become PostgreSQL
            List<ProcessHandle> children = current.handle().descendants().toList();
            current.kill();
            children.forEach(ProcessHandle::destroyForcibly);
        }
        PostgresServer.stopAnyIn(directory);
        frozen = false;
    }

    private void killAtEnd() {
        try {
            kill();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void freeze() throws IOException, InterruptedException {
        frozen = true;
        ChildProcess.signal("STOP", patroni());
        Tool.freeze(postmaster());
    }

    void thaw() throws IOException, InterruptedException {
        Tool.thaw(postmaster());
        ChildProcess.signal("CONT", patroni());
        frozen = false;
    }

    private long patroni() {
        return Objects.requireNonNull(process).handle().pid();
    }

    private ProcessHandle postmaster() throws IOException {
        String pid =
                Files.readAllLines(directory.resolve("data/postmaster.pid")).get(0);
        return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
    }

    @Override
    public void close() throws IOException {
        kill();
        Runtime.getRuntime().removeShutdownHook(hook);
    }

    @Override
    public String toString() {
        return name;
    }
}
