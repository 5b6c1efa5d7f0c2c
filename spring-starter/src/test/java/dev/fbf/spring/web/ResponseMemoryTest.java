package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.ChildJvm;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * A client that makes one part of each response as large as it can, or sends as many small ones, to an application with 128 MB of heap and
 * the default of 16 MB for responses. {@code -Dfbf.flood=PT10M} repeats that for ten minutes.
 */
@Tag("nightly")
@ExtendWith(PostgresExtension.class)
class ResponseMemoryTest {

    private static final Duration DURATION = Duration.parse(System.getProperty("fbf.flood", "PT0S"));

    private static final int LARGE_RESPONSES = 1_500;
    private static final int SMALL_RESPONSES = DURATION.isZero() ? 5_000 : 20_000;

    /** As large as a part can be that is kept. */
    private static final String LONG = "x".repeat(4_000);

    private static final long STATED = 16 << 20;

    /** What differs between two measurements of the same application. */
    private static final long NOISE = 3 << 20;

    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicInteger sent = new AtomicInteger();
    private String app = "";

    @ParameterizedTest
    @ValueSource(strings = {"filter", "ledger"})
    void theHeapOfResponsesStaysAsStatedWhateverPartIsLarge(
            String mode, EmbeddedPostgres postgres, @TempDir Path directory) throws Exception {
        Process process = ChildJvm.of(
                        List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError"),
                        ChildJvm.wholeClasspath(),
                        App.class,
                        postgres.getJdbcUrl("postgres", "postgres"),
                        directory.toString(),
                        mode)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        ExecutorService adversary = Executors.newFixedThreadPool(2);
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            Path port = directory.resolve("port");
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> Files.exists(port) || !process.isAlive());
            app = "http://localhost:" + Files.readString(port);
            for (String user : List.of("one", "large")) {
                flood(adversary, "not-kept", user, LARGE_RESPONSES);
            }
            long before = heap();
            keepFromBeingWritten(connection, mode);

            long begun = System.nanoTime();
            List<String> report = new ArrayList<>();
            long largest = 0;
            do {
                for (String part : List.of("location", "links", "type", "body", "status")) {
                    for (String user : List.of("one", "many", "large")) {
                        boolean small = part.equals("status") && !user.equals("large");
                        flood(adversary, part, user, small ? SMALL_RESPONSES : LARGE_RESPONSES);
                        long taken = heap() - before;
                        largest = Math.max(largest, taken);
                        report.add(part + " of " + user + ": " + taken);
                        assertThat(taken).as("%s", report).isLessThan(STATED * 11 / 10 + NOISE);
                    }
                }
            } while (System.nanoTime() - begun < DURATION.toNanos());
            System.out.printf(
                    "%s mode: %,d requests, %,d bytes of responses at most%n%s%n", mode, sent.get(), largest, report);

            assertThat(process.isAlive()).isTrue();
            assertThat(largest).isGreaterThan(STATED / 2);
        } finally {
            adversary.shutdownNow();
            process.getOutputStream().close();
            process.waitFor();
        }
    }

    /** In ledger mode, responses are in memory until they are written to their table. */
    private static void keepFromBeingWritten(Connection connection, String mode) throws Exception {
        if (mode.equals("ledger")) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("LOCK TABLE fbf_response IN EXCLUSIVE MODE");
        }
    }

    private void flood(ExecutorService adversary, String part, String user, int requests) throws Exception {
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            calls.add(() -> {
                int number = sent.incrementAndGet();
                String name = user.equals("one") ? user : user.equals("many") ? "u" + number : number + LONG;
                HttpRequest request = HttpRequest.newBuilder(URI.create(app + "/flood/" + part))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .headers("Idempotency-Key", "k" + number, "X-User", name)
                        .build();
                return client.send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode();
            });
        }
        List<Integer> statuses = new ArrayList<>();
        for (Future<Integer> call : adversary.invokeAll(calls)) {
            statuses.add(call.get());
        }
        assertThat(statuses).as("%s of %s", part, user).containsOnly(statusOf(part));
    }

    private static int statusOf(String part) {
        return switch (part) {
            case "not-kept", "body", "type", "links" -> 200;
            case "location" -> 201;
            default -> 404;
        };
    }

    private long heap() throws Exception {
        return Long.parseLong(client.send(
                        HttpRequest.newBuilder(URI.create(app + "/heap")).build(), HttpResponse.BodyHandlers.ofString())
                .body());
    }

    /** The application: ends when its parent's end of the pipe is closed. */
    static final class App {

        private App() {}

        public static void main(String[] arguments) throws IOException {
            Path directory = Path.of(arguments[1]);
            HikariConfig pool = new HikariConfig();
            pool.setJdbcUrl(arguments[0]);
            try (HikariDataSource dataSource = new HikariDataSource(pool);
                    HttpApp app = HttpApp.start(
                            dataSource,
                            directory.resolve("fbf-data"),
                            Controller.class,
                            "fbf.mode=" + arguments[2],
                            "fbf.expected-operations-per-second=1000",
                            HttpApp.SILENT_FAILURES)) {
                Path port = Files.writeString(directory.resolve("port.new"), "" + app.port());
                Files.move(port, directory.resolve("port"), StandardCopyOption.ATOMIC_MOVE);
                System.in.read();
            }
            System.exit(0);
        }
    }

    @RestController
    static class Controller {

        @PostMapping("/flood/{part}")
        @IdempotentIncrement(scope = "flood", caller = "#user")
        ResponseEntity<String> flood(@PathVariable String part, @RequestHeader("X-User") String user) {
            return switch (part) {
                case "not-kept" -> ResponseEntity.ok("x".repeat(5_000));
                case "location" -> ResponseEntity.created(URI.create(LONG)).build();
                case "links" ->
                    ResponseEntity.ok()
                            .header(
                                    "Link",
                                    IntStream.range(0, 300)
                                            .mapToObj(i -> "<" + i + ">")
                                            .toArray(String[]::new))
                            .build();
                case "type" ->
                    ResponseEntity.ok()
                            .header("Content-Type", "text/plain; x=" + LONG)
                            .body("");
                case "body" -> ResponseEntity.ok("x".repeat(4_096));
                default -> ResponseEntity.notFound().build();
            };
        }

        /** What is in use when all garbage is gone: the serial collector leaves gaps in three of four collections. */
        @GetMapping("/heap")
        long heap() {
            for (int i = 0; i < 4; i++) {
                System.gc();
            }
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }
    }
}
