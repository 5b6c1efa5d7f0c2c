package dev.fbf.spring.cassandra;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import dev.fbf.cassandra.CassandraForTests;
import dev.fbf.core.StorageException;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.spring.Counters;
import dev.fbf.spring.CountersContract;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.cassandra.app.CountingApp;
import dev.fbf.spring.cassandra.app.CountingApp.Pages;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Two nodes of an application that has nothing but Cassandra, on a real one. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class CassandraStarterTest extends CountersContract {

    @RegisterExtension
    static final CassandraForTests cassandra = new CassandraForTests();

    private static final HttpClient http = HttpClient.newHttpClient();

    private static @Nullable ConfigurableApplicationContext other;

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    private CassandraCounters counters;

    @BeforeAll
    static void start() throws Exception {
        app = start("1");
        other = start("1");
    }

    private static ConfigurableApplicationContext start(String lanes) throws Exception {
        return start(CassandraForTests.address().getPort(), "fbf.cassandra.lanes=" + lanes);
    }

    /**
     * @param more settings; one without a value is not set
     */
    private static ConfigurableApplicationContext start(int port, String... more) {
        Map<String, Object> properties = new HashMap<>(Map.of(
                "server.port", "0",
                "spring.main.banner-mode", "off",
                "spring.cassandra.contact-points", "127.0.0.1:" + port,
                "spring.cassandra.local-datacenter", "datacenter1",
                "spring.cassandra.keyspace-name", cassandra.keyspace(),
                "spring.cassandra.request.timeout", "20s",
                "management.endpoints.web.exposure.include", "health",
                "management.endpoint.health.show-details", "always",
                "fbf.retry-window", "2m"));
        for (String setting : more) {
            String[] nameAndValue = setting.split("=", 2);
            properties.put(nameAndValue[0], nameAndValue[1]);
        }
        properties.values().removeIf(""::equals);
        SpringApplication application = new SpringApplication(CountingApp.class);
        application.setDefaultProperties(properties);
        return application.run();
    }

    @AfterAll
    static void stop() {
        if (other != null) {
            other.close();
        }
        app.close();
    }

    @BeforeEach
    void begin() {
        counters = app.getBean("counters", CassandraCounters.class);
    }

    @AfterEach
    void noOperationIsHeld() {
        LaneGuards guards = app.getBean(LaneGuards.class);
        assertThat(guards.counters("counters").held()).isZero();
        assertThat(guards.counters("views").held()).isZero();
    }

    @Override
    protected Counters counters() {
        return counters;
    }

    @Override
    protected Counters ofAnotherScope() {
        return app.getBean("views", CassandraCounters.class);
    }

    @Override
    protected Views views() {
        return app.getBean(Views.class);
    }

    @Override
    protected Counters afterARestart() throws Exception {
        other().close();
        other = start("1");
        return other().getBean("counters", CassandraCounters.class);
    }

    private static ConfigurableApplicationContext other() {
        return requireNonNull(other);
    }

    private static HttpResponse<String> send(
            ConfigurableApplicationContext to, String method, String path, String key, String body)
            throws IOException, InterruptedException {
        int port = requireNonNull(((WebServerApplicationContext) to).getWebServer())
                .getPort();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(method, BodyPublishers.ofString(body));
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", '"' + key + '"');
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void aRetryGetsTheResponseOfARetryWhateverNodeItComesTo() throws Exception {
        HttpResponse<String> first = send(app, "POST", "/pages/home/views", "8e03978e-40d5-43dd-bc93-6894a57f9324", "");
        HttpResponse<String> same = send(app, "POST", "/pages/home/views", "8e03978e-40d5-43dd-bc93-6894a57f9324", "");
        HttpResponse<String> elsewhere =
                send(other(), "POST", "/pages/home/views", "8e03978e-40d5-43dd-bc93-6894a57f9324", "");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(List.of(same, elsewhere)).allSatisfy(retry -> {
            assertThat(retry.statusCode()).isEqualTo(200);
            assertThat(retry.body()).isEqualTo(first.body());
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
        });
    }

    @Test
    void aRequestWithoutAKeyIsRefusedAndSoIsAnotherRequestWithTheKey() throws Exception {
        assertThat(send(app, "POST", "/pages/home/views", "", "").statusCode()).isEqualTo(400);
        send(app, "POST", "/pages/a/views", "reused-key-of-one-request", "");

        HttpResponse<String> reused = send(app, "POST", "/pages/b/views", "reused-key-of-one-request", "");
        HttpResponse<String> elsewhere = send(other(), "POST", "/pages/b/views", "reused-key-of-one-request", "");

        assertThat(reused.statusCode()).isEqualTo(422);
        assertThat(elsewhere.statusCode()).isEqualTo(422);
        assertThat(app.getBean("views", CassandraCounters.class).value("b")).isEmpty();
    }

    @Test
    void callersOfBothNodesCountExactlyThoughEachOperationIsSentTwice() throws Exception {
        List<CassandraCounters> nodes = List.of(counters, other().getBean("counters", CassandraCounters.class));
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                IdempotencyKey key = IdempotencyKey.of("operation " + i);
                nodes.forEach(node -> calls.add(() -> untilApplied(node, key)));
            }
            for (Future<Long> call : callers.invokeAll(calls)) {
                call.get();
            }
        } finally {
            callers.shutdownNow();
        }

        assertThat(counters.value("crowd")).hasValue(200);
    }

    private static long untilApplied(CassandraCounters node, IdempotencyKey key) throws InterruptedException {
        while (true) {
            try {
                return node.increment(key, "crowd", 1);
            } catch (OperationInProgressException e) {
                Thread.sleep(1);
            }
        }
    }

    @Test
    void whatTheMethodDoesAfterItsIncrementChangesNothing() {
        Pages pages = app.getBean(Pages.class);

        assertThatIllegalArgumentException().isThrownBy(() -> pages.addAndThrow("failing", true));

        assertThat(pages.addAndThrow("failing", false)).as("a replay").isEqualTo(1);
    }

    @Test
    void aMethodAddsOnceAndToItsOwnScope() {
        Pages pages = app.getBean(Pages.class);

        assertThatIllegalStateException()
                .isThrownBy(() -> pages.addTwice("twice"))
                .withMessageContaining("increment(Map)");
        assertThatIllegalStateException()
                .isThrownBy(() -> pages.addToAnotherScope("another"))
                .withMessageContaining("has the scope views");
        assertThatIllegalStateException()
                .isThrownBy(() -> counters.increment("page"))
                .withMessageContaining("no @IdempotentIncrement method");
    }

    @Test
    void aMethodThatAddsNothingLeavesItsOperationNew() {
        Pages pages = app.getBean(Pages.class);
        pages.addNothing("nothing");
        pages.addNothing("nothing");
    }

    @Test
    void theNodeIsReadyAndTellsWhatItsLanesDo() throws Exception {
        counters.increment(IdempotencyKey.of("metered"), "metered", 1);

        HttpResponse<String> health = send(app, "GET", "/actuator/health", "", "");
        MeterRegistry registry = app.getBean(MeterRegistry.class);

        assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
        assertThat(health.body()).contains("\"fbfCassandra\":{\"status\":\"UP\"}");
        assertThat(registry.get("fbf.group.size")
                        .tag("scope", "counters")
                        .summary()
                        .count())
                .isPositive();
        assertThat(registry.get("fbf.lane.conflicts")
                        .tag("scope", "views")
                        .counter()
                        .count())
                .isNotNegative();
    }

    @Test
    void whileCassandraDoesNotRespondOperationsAreRefusedAndLaterTheirRetriesAreCountedOnce() throws Exception {
        try (TcpProxy proxy = TcpProxy.open(
                        "cassandra", List.of(CassandraForTests.address().getPort()), () -> Relay.PLAIN);
                ConfigurableApplicationContext cutOff =
                        start(proxy.port(), "fbf.cassandra.request-timeout=500ms", "fbf.counters.timeout=1s")) {
            long before = Long.parseLong(send(cutOff, "POST", "/pages/cut-off/views", "before-the-outage", "")
                    .body());

            proxy.loseResponses(1, 1);
            HttpResponse<String> refused = send(cutOff, "POST", "/pages/cut-off/views", "during-the-outage", "");
            String health = send(cutOff, "GET", "/actuator/health", "", "").body();
            proxy.heal();

            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(health).contains("\"failures\":{\"views\":");
            Awaitility.await()
                    .until(() -> send(cutOff, "POST", "/pages/cut-off/views", "during-the-outage", "")
                                    .statusCode()
                            == 200);
            assertThat(send(app, "POST", "/pages/cut-off/views", "after-the-outage", "")
                            .body())
                    .isEqualTo(String.valueOf(before + 2));
            assertThat(cutOff.getBean(CqlSession.class)
                            .getContext()
                            .getConfig()
                            .getDefaultProfile()
                            .getDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY))
                    .as("a longer outage ends as soon")
                    .isEqualTo(Duration.ofSeconds(1));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    spring.cassandra.contact-points=127.0.0.1:1      | No node of Cassandra can be reached at 127.0.0.1:1
                    spring.cassandra.keyspace-name=nowhere           | Cassandra has no keyspace nowhere.
                    spring.cassandra.keyspace-name=                  | The session has no keyspace.
                    spring.cassandra.local-datacenter=               | does not know which data center of Cassandra is the local one
                    """)
    void aStartWithoutASessionSaysWhatToDo(String setting, String expected, CapturedOutput output) {
        assertThatException().isThrownBy(() -> start(CassandraForTests.address().getPort(), setting));

        assertThat(output.getOut())
                .contains("APPLICATION FAILED TO START")
                .contains(expected)
                .contains("spring.cassandra.");
    }

    @Test
    void aStartWithAnotherNumberOfLanesFailsAndSaysWhatToDo() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> start("2"))
                .withMessageContaining("1 lanes")
                .withMessageContaining("fbf.cassandra.lanes");
    }
}
