package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.jdbc.NodeStatus;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Clients that retry every second, ten times, while the network becomes slower: their first request is under way for one
 * second, and their last one for five or more, so that they send for ten seconds and are heard over fourteen or more. The
 * window is ten. A second takes a tenth of one here.
 */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class LatencyTest {

    private static final Duration SECOND = Duration.ofMillis(100);
    private static final Duration WINDOW = SECOND.multipliedBy(10);

    /** So wide that a client whose clock is ahead is heard again when its operation is forgotten and its key looks young. */
    private static final Duration SKEW = SECOND.multipliedBy(5);

    private static final int RETRIES = 10;
    private static final int CLIENTS = 12;

    enum Key {
        UUID,
        ULID;

        String madeAt(Instant time) {
            return switch (this) {
                case UUID -> TimedKeys.uuid(time);
                case ULID -> TimedKeys.ulid(time);
            };
        }
    }

    @TempDir
    private static Path directory;

    private static HttpApp app;

    private CountedTable counted;

    @BeforeAll
    static void start(DataSource dataSource) {
        app = HttpApp.start(
                dataSource,
                directory,
                Views.class,
                "fbf.responses.enabled=false",
                // of many short generations: the filter forgets soon after the window
                "fbf.expected-operations-per-second=10000",
                "fbf.retry-window=" + WINDOW.toMillis() + "ms",
                "fbf.key.max-skew=" + SKEW.toMillis() + "ms");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @BeforeEach
    void makeTable(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
    }

    @Test
    void aRetryWithoutATimeThatArrivesAfterTheWindowIsAppliedASecondTime() throws Exception {
        String key = "operation-1";
        Instant first = Instant.now();
        assertThat(post(key).statusCode()).isEqualTo(200);
        assertThat(post(key).statusCode()).isEqualTo(204);

        // the last one: sent ten seconds after the first, and under way for four seconds longer
        sleepUntil(first.plus(SECOND.multipliedBy(14)));
        awaitForgotten(key);

        assertThat(post(key).statusCode()).isEqualTo(200);
        assertThat(counted.value()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aRetryWithATimeIsAnsweredAsOneOrRefusedAndNeverAppliedAgain(Key key) throws Exception {
        List<Callable<String>> clients = new ArrayList<>();
        clients.add(new Client(key, Duration.ZERO, asInTheBlog())::responses);
        LongStream.range(1, CLIENTS)
                .mapToObj(Random::new)
                .map(random -> new Client(key, seconds(random.nextDouble(-1, 4)), growing(random)))
                .forEach(client -> clients.add(client::responses));

        List<String> responses = inParallel(clients);

        // whoever comes too late with its first request already is refused every time
        assertThat(responses)
                .allMatch(each -> each.matches("(200 (204 )*)?(412 )+"), "once, then replays, then refusals");
        assertThat(responses).anyMatch(each -> each.startsWith("200 204 "));
        assertThat(counted.value())
                .isEqualTo(responses.stream()
                        .filter(each -> each.startsWith("200"))
                        .count());
    }

    @ParameterizedTest
    @EnumSource
    void aFirstRequestThatArrivesAfterTheWindowIsRefusedAndItsClientKnowsWhatThatMeans(Key key) throws Exception {
        String late = key.madeAt(Instant.now().minus(SECOND.multipliedBy(11)));

        HttpResponse<String> first = post(late);
        HttpResponse<String> second = post(late);

        for (HttpResponse<String> response : List.of(first, second)) {
            assertThat(response.statusCode()).isEqualTo(412);
            assertThat(HttpApp.json(response).path("detail").asString()).contains("The operation was not applied now");
        }
        assertThat(counted.value()).isZero();
        assertThat(post(key.madeAt(Instant.now())).statusCode()).isEqualTo(200);
        assertThat(counted.value()).isEqualTo(1);
    }

    /** One that sends each request whatever became of those before: no response comes back to it. */
    private record Client(Key kind, Duration ahead, List<Duration> latencies) {

        /** The status of each request, in the order in which they arrive. */
        String responses() throws IOException, InterruptedException {
            Instant begin = Instant.now();
            String key = kind.madeAt(begin.plus(ahead));
            StringBuilder responses = new StringBuilder();
            for (int request = 0; request <= RETRIES; request++) {
                sleepUntil(begin.plus(SECOND.multipliedBy(request)).plus(latencies.get(request)));
                responses.append(post(key).statusCode()).append(' ');
            }
            return responses.toString();
        }
    }

    /** Steadily, from one second to five. */
    private static List<Duration> asInTheBlog() {
        return LongStream.rangeClosed(0, RETRIES)
                .mapToObj(request -> seconds(1 + 4.0 * request / RETRIES))
                .toList();
    }

    /** Slowly or by leaps, from one second to five or more. */
    private static List<Duration> growing(Random random) {
        List<Duration> latencies = new ArrayList<>();
        latencies.add(seconds(1));
        random.doubles(RETRIES - 1, 1, 5)
                .sorted()
                .mapToObj(LatencyTest::seconds)
                .forEach(latencies::add);
        latencies.add(seconds(random.nextDouble(5, 8)));
        return latencies;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.round(SECOND.toNanos() * seconds));
    }

    private static <T> List<T> inParallel(List<Callable<T>> tasks) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static void sleepUntil(Instant time) throws InterruptedException {
        Thread.sleep(Math.max(0, Duration.between(Instant.now(), time).toMillis() + 1));
    }

    /** The filter remembers an operation for a part of the window longer, and nobody relies on how much. */
    private static void awaitForgotten(String key) {
        ForgetfulBloomFilter filter = app.bean(NodeStatus.class).all().get(0).filter();
        OperationId id = OperationId.of("views", "", key);
        Awaitility.await().until(() -> !filter.mightContain(id));
    }

    private static HttpResponse<String> post(String key) throws IOException, InterruptedException {
        return app.post("/views", "Idempotency-Key", key);
    }

    @RestController
    static class Views {

        private final JdbcClient jdbc;

        Views(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/views")
        @IdempotentIncrement(scope = "views")
        void view() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
        }
    }
}
