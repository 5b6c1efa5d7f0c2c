package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several processes of the sample app on one database, as a Deployment has them. No property of fbf is set. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ReplicasIT {

    private static final int KILLS = Integer.getInteger("sample.kills", 20);
    private static final int CLIENTS = 4;

    private static EmbeddedPostgres postgres;

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private volatile boolean sending = true;

    @BeforeAll
    static void start() throws IOException {
        postgres = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @Test
    @Tag("slow")
    void twoStartInOneWorkingDirectoryAndRecognizeEachOthersRetries() throws Exception {
        try (RunningApp one = launch(directory, 0);
                RunningApp another = launch(directory, 0)) {
            one.awaitStart();
            another.awaitStart();
            one.post("/pages/shared/views", "first");
            another.post("/pages/shared/views", "first");
            another.post("/pages/shared/views", "second");
            one.post("/pages/shared/views", "second");

            assertThat(one.get("/pages/shared")).contains("\"views\":2,");
        }
    }

    /** Each begins in an empty working directory. A killed one is replaced, and another is killed 3 s after that has started. */
    @Tag("nightly")
    @ParameterizedTest(name = "{0} of them")
    @ValueSource(ints = {2, 3})
    void areKilledAndReplacedUnderLoadAndEachOperationCountsOnce(int count) throws Exception {
        List<Integer> ports = new ArrayList<>();
        List<RunningApp> apps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ports.add(freePort());
            apps.add(launch(Files.createTempDirectory(directory, "app"), ports.get(i)));
        }
        for (RunningApp app : apps) {
            app.awaitStart();
        }
        int proxy = freePort();
        Process haproxy = startProxy(proxy, ports);
        AtomicInteger operations = new AtomicInteger();
        AtomicInteger retries = new AtomicInteger();
        AtomicLong longest = new AtomicLong();
        try {
            List<CompletableFuture<Void>> clients = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> send(proxy, "pages-" + count, operations, retries, longest),
                            task -> new Thread(task).start()))
                    .toList();
            for (int kill = 0; kill < KILLS; kill++) {
                TimeUnit.SECONDS.sleep(3);
                int killed = kill % count;
                apps.get(killed).kill();
                apps.set(killed, launch(Files.createTempDirectory(directory, "app"), ports.get(killed)));
                apps.get(killed).awaitStart();
            }
            sending = false;
            clients.forEach(CompletableFuture::join);

            assertThat(apps.get(0).get("/pages/pages-" + count)).contains("\"views\":" + operations + ",");
            assertThat(retries).hasPositiveValue();
            System.out.printf(
                    "%d replicas, %d kills: %d operations, %d retries, each counted once; longest time with 503 from the application: %d ms%n",
                    count, KILLS, operations.get(), retries.get(), longest.get());
        } finally {
            sending = false;
            haproxy.destroy();
            for (RunningApp app : apps) {
                app.kill();
            }
        }
    }

    private static RunningApp launch(Path workingDirectory, int port) throws IOException {
        return RunningApp.launchIn(
                workingDirectory,
                port,
                List.of(
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                        "--spring.datasource.username=postgres"));
    }

    /** Sends operations, each until it is acknowledged. Every tenth is sent again after that, as one whose response was lost. */
    private void send(int port, String page, AtomicInteger operations, AtomicInteger retries, AtomicLong longest) {
        for (int i = 0; sending; i++) {
            String key = UUID.randomUUID().toString();
            long refusedAt = 0;
            int status = post(port, page, key);
            while (status / 100 != 2) { // 204: it was applied, and its process was killed before it stored the response
                if (status == 503 && refusedAt == 0) {
                    refusedAt = System.nanoTime();
                }
                retries.incrementAndGet();
                pause();
                status = post(port, page, key);
            }
            if (refusedAt != 0) {
                longest.accumulateAndGet(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - refusedAt), Math::max);
            }
            operations.incrementAndGet();
            if (i % 10 == 0) {
                retries.incrementAndGet();
                post(port, page, key);
            }
        }
    }

    private int post(int port, String page, String key) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/pages/" + page + "/views"))
                .header("Idempotency-Key", key)
                .timeout(Duration.ofSeconds(10))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            boolean ofProxy = response.headers().firstValue("Via-Proxy").isPresent();
            return ofProxy ? 0 : response.statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its own 503, while no server is there for it, carries a mark. */
    private Process startProxy(int port, List<Integer> ports) throws IOException, InterruptedException {
        String program = Stream.of("/usr/sbin/haproxy", "/usr/bin/haproxy", "/usr/local/sbin/haproxy")
                .filter(path -> Files.isExecutable(Path.of(path)))
                .findFirst()
                .orElse(null);
        assumeTrue(program != null, "haproxy is not installed (Debian: apt-get install haproxy)");
        String servers = ports.stream()
                .map("  server node-%1$d 127.0.0.1:%1$d check inter 200ms fall 1 rise 1%n"::formatted)
                .collect(Collectors.joining());
        Path configuration = Files.writeString(directory.resolve("haproxy.cfg"), """
                defaults
                  mode http
                  timeout connect 1s
                  timeout client 30s
                  timeout server 30s
                  http-error status 503 content-type text/plain string "no server" hdr Via-Proxy true
                frontend clients
                  bind 127.0.0.1:%d
                  default_backend application
                backend application
                  balance roundrobin
                  option httpchk GET /actuator/health/readiness
                  option redispatch
                  retries 2
                %s""".formatted(port, servers));
        Process haproxy = new ProcessBuilder(program, "-db", "-f", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("haproxy.log").toFile())
                .start();
        TimeUnit.SECONDS.sleep(1);
        assertThat(haproxy.isAlive())
                .as(Files.readString(directory.resolve("haproxy.log")))
                .isTrue();
        return haproxy;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
