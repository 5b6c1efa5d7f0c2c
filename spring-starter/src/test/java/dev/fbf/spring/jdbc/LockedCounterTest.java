package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.db.FbfSchema;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What clients are told while another transaction has locked the row of a counter; with a pool of two connections. */
@Tag("slow")
@ParameterizedClass
@EnumSource(Mode.class)
@ExtendWith(PostgresExtension.class)
@Timeout(60)
class LockedCounterTest {

    private static final int REQUESTS = 12;

    private final Mode mode;

    @TempDir
    private Path directory;

    private JdbcClient jdbc;
    private HikariDataSource pool;

    LockedCounterTest(Mode mode) {
        this.mode = mode;
    }

    @BeforeEach
    void fill(DataSource dataSource) {
        FbfSchema.migrate(dataSource);
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("TRUNCATE fbf_ledger CASCADE").update();
        jdbc.sql("DROP TABLE IF EXISTS page").update();
        jdbc.sql("CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL)")
                .update();
        jdbc.sql("INSERT INTO page VALUES ('home', 0), ('locked', 0)").update();
        pool = new HikariDataSource();
        pool.setDataSource(dataSource);
        pool.setMaximumPoolSize(2);
    }

    @AfterEach
    void drain() {
        pool.close();
    }

    @Test
    void itsOwnAreAskedToTryAgainAndTheOthersNoticeNothing(DataSource dataSource) throws Exception {
        try (HttpApp app = start("fbf.counters.timeout=2s");
                Connection tx = lock(dataSource)) {
            List<CompletableFuture<HttpResponse<String>>> ofLocked = posts(app, "locked");
            List<CompletableFuture<HttpResponse<String>>> ofOthers = posts(app, "home");

            assertThat(ofOthers)
                    .extracting(response -> response.get().statusCode())
                    .containsOnly(200);
            assertThat(ofLocked).noneMatch(CompletableFuture::isDone);
            assertThat(ofLocked).allSatisfy(response -> {
                assertThat(response.get().statusCode()).isEqualTo(503);
                assertThat(response.get().headers().firstValue("Retry-After")).isPresent();
                assertThat(response.get().body()).contains("no-room");
            });

            tx.commit();
            assertThat(posts(app, "locked"))
                    .extracting(response -> response.get().statusCode())
                    .containsOnly(200);
        }
        assertThat(views()).isEqualTo("home=12,locked=12");
    }

    @Test
    void thoseOfARowThatIsFreedInTimeAreApplied(DataSource dataSource) throws Exception {
        try (HttpApp app = start();
                Connection tx = lock(dataSource)) {
            List<CompletableFuture<HttpResponse<String>>> ofLocked = posts(app, "locked");
            assertThat(app.post("/pages/home/views", "Idempotency-Key", "another")
                            .statusCode())
                    .isEqualTo(200);

            tx.commit();

            assertThat(ofLocked)
                    .extracting(response -> response.get().statusCode())
                    .containsOnly(200);
        }
        assertThat(views()).isEqualTo("home=1,locked=12");
    }

    @Test
    void aPoolWhoseTransactionsReadRepeatablyFailsNobody() throws Exception {
        pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        try (HttpApp one = start();
                HttpApp other = HttpApp.start(pool, directory.resolve("other"), Pages.class, "fbf.mode=" + mode)) {
            for (int round = 0; round < 5; round++) {
                List<CompletableFuture<HttpResponse<String>>> ofOne = posts(one, "home", "one" + round);
                List<CompletableFuture<HttpResponse<String>>> ofOther = posts(other, "home", "other" + round);

                assertThat(ofOne)
                        .extracting(response -> response.get().statusCode())
                        .containsOnly(200);
                assertThat(ofOther)
                        .extracting(response -> response.get().statusCode())
                        .containsOnly(200);
            }
        }
        assertThat(views()).isEqualTo("home=120,locked=0");
    }

    private HttpApp start(String... properties) {
        String[] all = IntStream.rangeClosed(0, properties.length)
                .mapToObj(i -> i == 0 ? "fbf.mode=" + mode : properties[i - 1])
                .toArray(String[]::new);
        return HttpApp.start(pool, directory.resolve("one"), Pages.class, all);
    }

    private static List<CompletableFuture<HttpResponse<String>>> posts(HttpApp app, String page) {
        return posts(app, page, page);
    }

    private static List<CompletableFuture<HttpResponse<String>>> posts(HttpApp app, String page, String key) {
        return IntStream.range(0, REQUESTS)
                .mapToObj(i -> app.send("/pages/" + page + "/views", "Idempotency-Key", key + i))
                .toList();
    }

    private static Connection lock(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("UPDATE page SET views = views WHERE name = 'locked'");
        }
        return connection;
    }

    private String views() {
        return jdbc.sql("SELECT string_agg(name || '=' || views, ',' ORDER BY name) FROM page")
                .query(String.class)
                .single();
    }

    @Configuration(proxyBeanMethods = false)
    static class Pages {

        @Bean
        SqlCounters views(SqlCounters.Builder counters) {
            return counters.scope("pages").table("page", "name", "views").build();
        }

        @Bean
        Views controller(SqlCounters views) {
            return new Views(views);
        }
    }

    @RestController
    static class Views {

        private final SqlCounters views;

        Views(SqlCounters views) {
            this.views = views;
        }

        @PostMapping("/pages/{page}/views")
        long view(@PathVariable String page, IdempotencyKey key) {
            return views.increment(key, page, 1);
        }
    }
}
