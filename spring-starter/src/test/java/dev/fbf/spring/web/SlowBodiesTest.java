package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Clients that keep the end of a body back that a handler has begun to read, while two operations at a time have a claim and a connection. */
@ExtendWith(PostgresExtension.class)
@Tag("slow")
class SlowBodiesTest {

    private static final int SLOW_CLIENTS = 4;

    private static final byte[] BODY = "x".repeat(100_000).getBytes(US_ASCII);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void keepNeitherClaimsNorConnectionsFromOthers(Mode mode, DataSource dataSource) throws Exception {
        try (HikariDataSource pool = pool(dataSource);
                HttpApp app = HttpApp.start(pool, directory, Uploads.class, "fbf.mode=" + mode, "fbf.max-claims=2")) {
            List<Upload> slow = new ArrayList<>();
            for (int i = 0; i < SLOW_CLIENTS; i++) {
                slow.add(Upload.begin(app.port()));
            }
            for (int i = 0; i < SLOW_CLIENTS; i++) {
                assertThat(app.post(
                                        "/quick",
                                        "Idempotency-Key",
                                        UUID.randomUUID().toString())
                                .statusCode())
                        .isEqualTo(200);
            }
            for (Upload upload : slow) {
                assertThat(upload.end()).contains("HTTP/1.1 200").endsWith(BODY.length + " bytes");
            }
        }
    }

    private static HikariDataSource pool(DataSource dataSource) {
        HikariDataSource pool = Pools.of(dataSource, 2);
        pool.setConnectionTimeout(500);
        return pool;
    }

    private record Upload(Socket socket) {

        static Upload begin(int port) throws IOException {
            Upload upload = new Upload(new Socket(InetAddress.getLoopbackAddress(), port));
            upload.send(("POST /uploads HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: " + UUID.randomUUID()
                            + "\r\nContent-Type: image/png\r\nConnection: close\r\nContent-Length: " + BODY.length
                            + "\r\n\r\n")
                    .getBytes(US_ASCII));
            upload.send(Arrays.copyOf(BODY, BODY.length - 1));
            return upload;
        }

        private void send(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        String end() throws IOException {
            try (socket) {
                send(Arrays.copyOfRange(BODY, BODY.length - 1, BODY.length));
                return new String(socket.getInputStream().readAllBytes(), US_ASCII);
            }
        }
    }

    static class Store {

        private final JdbcClient jdbc;

        Store(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "slow-uploads")
        String keep(InputStream rest) throws IOException {
            jdbc.sql("SELECT 1").query(Long.class).single();
            return 1 + rest.readAllBytes().length + " bytes";
        }
    }

    @RestController
    @Import(Store.class)
    static class Uploads {

        private final Store store;
        private final JdbcClient jdbc;

        Uploads(Store store, DataSource dataSource) {
            this.store = store;
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/uploads")
        String upload(InputStream body) throws IOException {
            body.read();
            return store.keep(body);
        }

        @PostMapping("/quick")
        @IdempotentIncrement(scope = "quick")
        long count() {
            return jdbc.sql("SELECT 1").query(Long.class).single();
        }
    }
}
