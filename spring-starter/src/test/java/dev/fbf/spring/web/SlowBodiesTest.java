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
import java.util.Random;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Clients that keep the end of a long body back, while two operations at a time have a claim and a connection. */
@ExtendWith(PostgresExtension.class)
@Tag("slow")
class SlowBodiesTest {

    private static final int SLOW_CLIENTS = 4;

    /** More than sockets keep: who has sent all but the end of it knows that the server has read beyond what it compares. */
    private static final byte[] BODY = new byte[17 << 20];

    private static final int END = 1 << 20;

    static {
        new Random(1).nextBytes(BODY);
    }

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"FILTER, true", "LEDGER, true", "LEDGER, false"})
    void keepNeitherClaimsNorConnectionsFromOthers(Mode mode, boolean compared, DataSource dataSource)
            throws Exception {
        try (HikariDataSource pool = pool(dataSource);
                HttpApp app = HttpApp.start(
                        pool,
                        directory,
                        Uploads.class,
                        "fbf.mode=" + mode,
                        "fbf.max-claims=2",
                        "fbf.fingerprint.enabled=" + compared,
                        "fbf.max-streamed-body=18MB")) {
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
                assertThat(upload.end()).contains("HTTP/1.1 200").endsWith("body " + Arrays.hashCode(BODY));
            }
            assertThat(app.send(
                                    "POST",
                                    "/uploads",
                                    UUID.randomUUID().toString(),
                                    "image/png",
                                    Arrays.copyOf(BODY, (18 << 20) + 1))
                            .statusCode())
                    .isEqualTo(413);
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
            upload.send(Arrays.copyOf(BODY, BODY.length - END));
            return upload;
        }

        private void send(byte[] bytes) {
            try {
                socket.getOutputStream().write(bytes);
            } catch (IOException e) {
                // the server has refused the request, and does not read it: its response tells
            }
        }

        String end() throws IOException {
            try (socket) {
                send(Arrays.copyOfRange(BODY, BODY.length - END, BODY.length));
                return new String(socket.getInputStream().readAllBytes(), US_ASCII);
            }
        }
    }

    @RestController
    static class Uploads {

        private final JdbcClient jdbc;

        Uploads(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/uploads")
        @IdempotentIncrement(scope = "slow-uploads")
        String upload(InputStream body) throws IOException {
            jdbc.sql("SELECT 1").query(Long.class).single();
            return "body " + Arrays.hashCode(body.readAllBytes());
        }

        @PostMapping("/quick")
        @IdempotentIncrement(scope = "quick")
        long count() {
            return jdbc.sql("SELECT 1").query(Long.class).single();
        }
    }
}
