package dev.fbf.sample;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

@SampleAppTest
@ExtendWith(OutputCaptureExtension.class)
class FaultsTest {

    private final int port;
    private final RestTestClient http;

    FaultsTest(@LocalServerPort int port) {
        this.port = port;
        this.http = RestTestClient.bindToServer()
                .baseUrl("http://localhost:" + port)
                .build();
    }

    @AfterEach
    void switchOff() {
        http.delete().uri("/faults").exchange().expectStatus().isOk();
    }

    @Test
    void noResponseIsLostUnlessAskedFor() throws IOException {
        assertThat(bytesAnsweredTo("/unguarded/pages/reliable/views")).startsWith("HTTP/1.1 200");

        http.get().uri("/faults").exchange().expectBody().json("{'lostResponses': 0.0, 'remainingSeconds': 0}");
    }

    @Test
    void aLostResponseIsNotAByteLongAndItsOperationIsApplied(CapturedOutput log) throws IOException {
        switchOn("{\"lostResponses\": 1.0, \"seconds\": 60}").expectStatus().isOk();

        assertThat(bytesAnsweredTo("/pages/lossy/views")).isEmpty();
        assertThat(bytesAnsweredTo("/unguarded/pages/lossy/views")).isEmpty();
        assertThat(bytesAnsweredTo("/grouped/pages/lossy/views")).isEmpty();

        http.get().uri("/pages/lossy").exchange().expectBody().json("{'views': 1, 'unguardedViews': 1}");
        http.get().uri("/grouped/pages/lossy").exchange().expectBody().json("{'views': 1}");
        http.get().uri("/faults").exchange().expectBody().json("{'lostResponses': 1.0, 'lostSoFar': 3}");
        assertThat(log).doesNotContain("ERROR", "\tat ");
    }

    @Test
    void theResponseToABadRequestIsLostAsQuietly(CapturedOutput log) throws IOException {
        switchOn("{\"lostResponses\": 1.0, \"seconds\": 60}").expectStatus().isOk();

        assertThat(bytesAnsweredTo("/unguarded/pages/%20/views")).isEmpty();

        assertThat(log).doesNotContain("ERROR", "\tat ");
    }

    @Test
    void switchedOffEveryAnswerArrives() throws IOException {
        switchOn("{\"lostResponses\": 1.0, \"seconds\": 60}").expectStatus().isOk();
        switchOff();

        assertThat(bytesAnsweredTo("/unguarded/pages/repaired/views")).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"lostResponses\": 1.01, \"seconds\": 60}",
                "{\"lostResponses\": -0.01, \"seconds\": 60}",
                "{\"lostResponses\": 0.5, \"seconds\": 0}",
                "{\"lostResponses\": 0.5, \"seconds\": 3601}",
                "{\"lostResponses\": 0.5, \"seconds\": 1.5}",
                "{\"lostResponses\": 0.5}",
                "{\"seconds\": 60}",
                "lots"
            })
    void whatIsOutOfRangeIsRefused(String faults) {
        switchOn(faults)
                .expectStatus()
                .isBadRequest()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo(
                        "send {\"lostResponses\": a share from 0.0 to 1.0, \"seconds\": a whole number from 1 to 3600}");
    }

    private RestTestClient.ResponseSpec switchOn(String faults) {
        return http.put()
                .uri("/faults")
                .contentType(MediaType.APPLICATION_JSON)
                .body(faults)
                .exchange();
    }

    private String bytesAnsweredTo(String path) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(10_000);
            String request = "POST " + path + " HTTP/1.1\r\n"
                    + "Host: localhost\r\n"
                    + "Idempotency-Key: \"" + UUID.randomUUID() + "\"\r\n"
                    + "Content-Length: 0\r\n"
                    + "Connection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }
}
