package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/**
 * PgBouncer between the tests and their PostgreSQL, in the pool mode {@code session} or {@code transaction}; runs until the JVM ends.
 */
final class PgBouncer {

    private final int port;
    private final String mode;

    private PgBouncer(int port, String mode) {
        this.port = port;
        this.mode = mode;
    }

    static PgBouncer start(EmbeddedPostgres postgres, String mode) {
        try {
            int port = freePort();
            Path directory = Files.createTempDirectory("pgbouncer");
            Path settings = Files.writeString(
                    directory.resolve("pgbouncer.ini"), """
                    [databases]
                    * = host=127.0.0.1 port=%d user=postgres
                    [pgbouncer]
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    unix_socket_dir =
                    auth_type = any
                    pool_mode = %s
                    default_pool_size = 50
                    max_client_conn = 500
                    ignore_startup_parameters = extra_float_digits
                    """.formatted(postgres.getPort(), port, mode));
            List<String> command = new ArrayList<>(List.of("pgbouncer"));
            if ("root".equals(System.getProperty("user.name"))) {
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
                command.addAll(List.of("-u", "nobody")); // it refuses to run as root
            }
            command.add(settings.toString());
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            Awaitility.await("PgBouncer, see " + directory).until(() -> listens(port));
            return new PgBouncer(port, mode);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres"
                + (mode.equals("transaction") ? "&prepareThreshold=0" : "");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
