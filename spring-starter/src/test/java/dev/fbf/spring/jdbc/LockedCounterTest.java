package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What clients are told while another transaction has locked the row of a counter; with a pool of two connections. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
@Timeout(60)
class LockedCounterTest {

    private static final int REQUESTS = 12;
    private static final int OTHERS = 80;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itsOwnAreAskedToTryAgainAndTheOthersNoticeNothing(Mode mode, DataSource dataSource, @TempDir Path directory)
            throws Exception {
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("""
                DROP TABLE IF EXISTS page;
                CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL);
                INSERT INTO page VALUES ('home', 0), ('locked', 0)
                """).update();
        try (HikariDataSource pool = Pools.of(dataSource, 2);
                HttpApp app =
                        HttpApp.start(pool, directory, Views.class, "fbf.mode=" + mode, "fbf.counters.timeout=2s");
                Connection tx = lock(dataSource)) {
            List<CompletableFuture<HttpResponse<String>>> ofLocked = posts(app, mode, "locked", REQUESTS);
            List<CompletableFuture<HttpResponse<String>>> ofOthers = posts(app, mode, "home", OTHERS);

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
            assertThat(posts(app, mode, "locked", REQUESTS))
                    .extracting(response -> response.get().statusCode())
                    .containsOnly(200);
        }
        assertThat(jdbc.sql("SELECT string_agg(name || '=' || views, ',' ORDER BY name) FROM page")
                        .query(String.class)
                        .single())
                .isEqualTo("home=80,locked=12");
    }

    private static List<CompletableFuture<HttpResponse<String>>> posts(
            HttpApp app, Mode mode, String page, int requests) {
        return IntStream.range(0, requests)
                .mapToObj(i -> app.send("/pages/" + page + "/views", "Idempotency-Key", mode + page + i))
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

    @RestController
    static class Views {

        private final SqlCounters views;

        Views(SqlCounters.Builder counters) {
            views = counters.scope("pages").table("page", "name", "views").build();
        }

        @PostMapping("/pages/{page}/views")
        long view(@PathVariable String page, IdempotencyKey key) {
            return views.increment(key, page, 1);
        }
    }
}
