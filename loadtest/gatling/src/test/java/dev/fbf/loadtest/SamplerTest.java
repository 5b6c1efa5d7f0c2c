package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SamplerTest {

    private static final String METRIC = "{\"measurements\": [{\"value\": 0.5}]}";
    private static final String FILTER = """
            {"bytes": 1500, "fill": 0.25, "targetFpp": 1e-9, "estimatedFpp": 1e-10, "arenas": [
              {"bytes": 1500, "sinceRefresh": "PT1S", "generations": [{}]}
            ]}
            """;

    private final CountDownLatch looks = new CountDownLatch(2);

    private HttpServer app;

    @BeforeEach
    void start() throws IOException {
        app = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        app.createContext("/actuator/metrics", exchange -> answer(exchange, METRIC));
        app.createContext("/actuator/fbf/views", exchange -> {
            boolean isFirst = looks.getCount() == 2;
            looks.countDown();
            answer(exchange, isFirst ? "busy" : FILTER);
        });
        app.start();
    }

    @AfterEach
    void stop() {
        app.stop(0);
    }

    @Test
    void goesOnAfterALookThatFailedAndTellsOfIt() throws Exception {
        SoakTraffic traffic = new SoakTraffic(new Operations(
                "page",
                List.of(Endpoint.GROUPED),
                new Plan(0, 2, 0, 0, 1_000, Duration.ofSeconds(1), Duration.ofSeconds(1)),
                new SplittableRandom(42)));
        URI address = URI.create("http://127.0.0.1:" + app.getAddress().getPort());
        Sampler sampler = new Sampler(parameters(), new AppWatch(address, ProcessHandle.current(), "views"), traffic);
        sampler.start();
        traffic.next();
        assertThat(looks.await(20, TimeUnit.SECONDS)).isTrue();

        List<Sample> samples = sampler.end();

        assertThat(samples.get(0).fill()).isEqualTo(0.25);
        assertThat(sampler.missed()).startsWith("1, the first: ").contains("busy");
    }

    /** Each look is a sample. */
    private static SoakParameters parameters() {
        return new SoakParameters(
                Duration.ofMinutes(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ZERO);
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
