package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.web.server.LocalServerPort;

@SampleAppTest
class SameOriginTest {

    private final HttpClient http = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @ParameterizedTest
    @ValueSource(strings = {"https://evil.example", "null", "http://localhost:1"})
    void requestsFromPagesOfOtherSitesAreRefused(String origin) throws Exception {
        assertThat(post("/kill", origin)).isEqualTo(403);
        assertThat(post("/kill", origin)).isEqualTo(403);
        assertThat(post("/pages/a/views", origin)).isEqualTo(403);
    }

    @Test
    void requestsFromItsOwnPageAreServed() throws Exception {
        assertThat(post("/pages/a/views", "http://localhost:" + port)).isEqualTo(200);
    }

    @Test
    void itListensForThisMachineAlone(@Value("${server.address}") InetAddress address) {
        assertThat(address.isLoopbackAddress()).isTrue();
    }

    private int post(String path, String origin) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .headers("Origin", origin, "Idempotency-Key", "\"" + origin.hashCode() + "\"")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
}
