package dev.fbf.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** An application in ledger mode, from its start to its end in a process of its own: it loads no class of filter mode. */
@ExtendWith(PostgresExtension.class)
class LedgerModeClassesTest {

    private static final Pattern LOADED = Pattern.compile(" (dev\\.fbf\\.[\\w.$]+) source:");

    private static final Pattern FILTER_MODE = Pattern.compile(
            "dev\\.fbf\\.(core\\.file|core\\.witness|core\\.filter|db\\.node|db\\.witness|spring\\.filter)\\..*");

    /** The classes of the filter's room that hold the recent operations. */
    private static final Pattern RECENT =
            Pattern.compile("dev\\.fbf\\.core\\.filter\\.(ArenaHeader|CheckedWord|FilterLayout|Lanes|ProbeHash)");

    @TempDir
    private Path directory;

    @Tag("slow")
    @Test
    void areThoseOfLedgerMode(EmbeddedPostgres postgres) throws Exception {
        CountedTable.makeIn(PostgresExtension.newDatabase(postgres, "ledger_classes"));
        Path log = directory.resolve("loaded");
        Process process = ChildJvm.of(
                        List.of("-Xlog:class+load:file=" + log),
                        ChildJvm.wholeClasspath(),
                        Application.class,
                        "--spring.main.banner-mode=off",
                        "--" + AbsentLibraries.NONE,
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "ledger_classes"),
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=fbf,health,metrics",
                        "--management.endpoint.fbf.access=unrestricted",
                        "--management.endpoint.health.show-details=always",
                        "--fbf.directory=" + directory.resolve("none"))
                .redirectErrorStream(true)
                .start();

        assertThat(new String(process.getInputStream().readAllBytes(), UTF_8))
                .contains("counted: 3, and 2", "\"status\":\"UP\"", "fbf.claims");
        assertThat(process.waitFor()).isZero();
        try (Stream<String> lines = Files.lines(log)) {
            assertThat(lines.map(LOADED::matcher).filter(Matcher::find).map(line -> line.group(1)))
                    .contains("dev.fbf.db.ledger.LedgerStore")
                    .filteredOn(name -> FILTER_MODE.matcher(name).matches()
                            && !RECENT.matcher(name).matches())
                    .isEmpty();
        }
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class Application {

        private static final HttpClient CLIENT = HttpClient.newHttpClient();

        public static void main(String[] arguments) throws IOException, InterruptedException {
            try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, arguments)) {
                String server = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
                for (String path : List.of("/annotation", "/sql-only", "/batch", "/argument", "/counter")) {
                    for (int i = 0; i < 2; i++) {
                        send(HttpRequest.newBuilder(URI.create(server + path))
                                .header("Idempotency-Key", "key" + path)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build());
                    }
                }
                for (String path : List.of("/fbf", "/health", "/metrics", "/metrics/fbf.claims")) {
                    send(HttpRequest.newBuilder(URI.create(server + "/actuator" + path))
                            .build());
                }
                send(HttpRequest.newBuilder(URI.create(server + "/actuator/fbf/lost-commits"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"applied\": true}"))
                        .build());
                System.out.printf(
                        "counted: %d, and %d%n",
                        JdbcClient.create(context.getBean(DataSource.class))
                                .sql("SELECT value FROM counted")
                                .query(Long.class)
                                .single(),
                        context.getBean(SqlCounters.class).value("views").orElseThrow());
            }
        }

        private static void send(HttpRequest request) throws IOException, InterruptedException {
            System.out.println(CLIENT.send(request, BodyHandlers.ofString()).body());
        }
    }

    @RestController
    static class Pages {

        private final JdbcClient jdbc;
        private final IdempotentScope batches;
        private final SqlCounters counters;

        Pages(DataSource dataSource, IdempotentOperations operations, SqlCounters counters) {
            jdbc = JdbcClient.create(Objects.requireNonNull(dataSource));
            batches = operations.scope("batches");
            this.counters = counters;
        }

        @PostMapping("/annotation")
        @IdempotentIncrement(scope = "annotation")
        public String annotated() {
            return count();
        }

        @PostMapping("/sql-only")
        @IdempotentIncrement(scope = "sql-only", sqlOnly = true)
        public String sqlOnly() {
            return count();
        }

        @PostMapping("/batch")
        public int batch(@RequestHeader("Idempotency-Key") String key) {
            return batches.executeAll(List.of(key), IdempotencyKey::of, fresh -> count());
        }

        @PostMapping("/argument")
        public long argument(IdempotencyKey key) {
            return counters.increment(key, "views", 1);
        }

        @PostMapping("/counter")
        @IdempotentIncrement(scope = "counter")
        public long counter() {
            return counters.increment("views");
        }

        private String count() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            return "counted";
        }
    }
}
