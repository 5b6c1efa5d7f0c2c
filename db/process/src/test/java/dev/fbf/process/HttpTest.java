package dev.fbf.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HttpTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final AtomicInteger requests = new AtomicInteger();

    @Test
    void aPostWhoseConnectionEndsIsNotSentAgain() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> serve(server));
            thread.setDaemon(true);
            thread.start();
            HttpRequest post = Http.post(server.getLocalPort(), "/", "key");
            assertThat(Http.status(post, LONG)).isEqualTo(200);
            assertThat(Http.status(post, LONG))
                    .as("on the connection that was kept")
                    .isZero();
            assertThat(Http.status(post, LONG)).as("on a new one").isZero();
            assertThat(requests).hasValue(3);
        }
    }

    /** Responds to the first request, and ends the connection of each other one when it has come. */
    private void serve(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket client = server.accept();
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
                boolean isKept = true;
                while (isKept) {
                    String line = in.readLine();
                    while (line != null && !line.isEmpty()) {
                        line = in.readLine();
                    }
                    isKept = line != null && requests.incrementAndGet() == 1;
                    if (isKept) {
                        client.getOutputStream()
                                .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                    }
                }
            } catch (IOException e) {
                // the test has ended, or the client has
            }
        }
    }
}
