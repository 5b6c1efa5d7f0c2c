package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An application behind PgBouncer in transaction mode: each of its transactions may have another connection to the server.
 * The application is killed, and so is PgBouncer.
 */
class PgBouncerTest extends Replicas {

    private static final int CLIENTS = 8;
    private static final int OPERATIONS = 60;

    @AutoClose
    private final Clients clients = new Clients();

    private final int port = FixedPorts.free();
    private final int bouncerPort = FixedPorts.free();

    @Tag("nightly")
    @Test
    void countersAreExactInFilterMode() throws Exception {
        countersAreExact("filter");
    }

    @Test
    void countersAreExactInLedgerMode() throws Exception {
        countersAreExact("ledger");
    }

    private void countersAreExact(String mode) throws Exception {
        String pgbouncer = Tool.find("pgbouncer");
        ChildProcess bouncer = start(pgbouncer);
        Replica app = launch(mode).awaitReady();

        clients.start(CLIENTS, this::send);
        clients.awaitAcknowledged(CLIENTS * OPERATIONS / 2);
        app.close();
        Replica again = launch(mode).awaitReady();
        clients.awaitAcknowledged(CLIENTS * OPERATIONS);
        bouncer.kill();
        start(pgbouncer);
        clients.finish();

        assertThat(views()).isEqualTo(CLIENTS * OPERATIONS);
        assertThat(number("SELECT value FROM fbf_counter WHERE name = 'hot'")).isEqualTo(CLIENTS * OPERATIONS);
        assertThat(again.readiness()).isEqualTo(200);
    }

    /** Each operation until it is acknowledged, and then once more. */
    private void send(int client) throws InterruptedException {
        for (int operation = 0; operation < OPERATIONS; operation++) {
            for (String path : List.of(PATH, COUNTER)) {
                String key = path + client + "-" + operation;
                clients.send(port, path, key);
                Replica.post(port, path, key);
            }
        }
    }

    private Replica launch(String mode) throws IOException {
        String url = PostgresServer.url(bouncerPort, PostgresServer.DATABASE) + "?prepareThreshold=0";
        return launch(port, url, "app", "fbf", "fbf.mode=" + mode);
    }

    private ChildProcess start(String pgbouncer) throws IOException, InterruptedException {
        Path configuration = Files.writeString(
                directory.resolve("pgbouncer.ini"), """
                [databases]
                postgres = host=127.0.0.1 port=%d user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = 4
                max_client_conn = 200
                ignore_startup_parameters = extra_float_digits
                """.formatted(server.get().port(), bouncerPort));
        List<String> command = new ArrayList<>(List.of(pgbouncer));
        if ("root".equals(System.getProperty("user.name"))) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            command.addAll(List.of("-u", "nobody")); // it refuses to run as root
        }
        command.add(configuration.toString());
        return closedLater(Tool.start(bouncerPort, directory.resolve("pgbouncer.log"), command));
    }
}
