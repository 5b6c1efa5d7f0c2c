package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.transaction.NodeStatus;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Handlers that take the key of their request as an argument: the contract of annotated methods, in both modes. */
@Timeout(120)
@GuardedApp(
        beans = RequestKeyTest.Handlers.class,
        properties = {"fbf.responses.max-body=1KB", HttpApp.SILENT_FAILURES})
class RequestKeyTest extends HttpAppTest {

    private final String page = "page-" + key;

    private JdbcClient jdbc;

    @BeforeEach
    void makeTable() {
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("CREATE TABLE IF NOT EXISTS view (page text)").update();
    }

    @Test
    void aRequestCountsOnceAndItsRetriesGetTheFirstResponse() throws Exception {
        assertThat(answer(post("/count/" + page))).isEqualTo("200: 1");
        assertThat(app.post("/count/" + page, "Idempotency-Key", "\"another-" + key + '"')
                        .body())
                .isEqualTo("2");

        for (int i = 0; i < 2; i++) {
            assertThat(answer(post("/count/" + page))).isEqualTo("200 replayed: 1");
        }
        assertThat(counted()).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/count/", "/transactional/"})
    void theSameKeyWithAnotherRequestIsRefused(String path) throws Exception {
        assertThat(post(path + page).statusCode()).isEqualTo(200);

        assertProblem(post(path + page + "?source=mail"), 422, "idempotency-key-reused");
        assertProblem(post(path + "another"), 422, "idempotency-key-reused");

        assertThat(app.bean(SqlCounters.class).value("another")).isEmpty();
    }

    @Test
    void aRequestWithoutAKeyIsRefusedUnlessTheHandlerNeedsNone() throws Exception {
        assertProblem(app.post("/count/" + page), 400, "idempotency-key");
        assertProblem(app.post("/count/" + page, "Idempotency-Key", "two words"), 400, "idempotency-key");
        assertThat(counted()).isEmpty();

        for (String path : List.of("/nullable", "/optional")) {
            assertThat(app.post(path).body()).isEqualTo("none");
            assertThat(app.post(path, "Idempotency-Key", '"' + key + '"').body())
                    .isEqualTo(key);
            assertProblem(app.post(path, "Idempotency-Key", "two words"), 400, "idempotency-key");
        }
    }

    @Test
    void aCopyThatComesMeanwhileIsInProgress() throws Exception {
        app.post("/count/" + page, "Idempotency-Key", "before-" + key);
        CompletableFuture<HttpResponse<String>> first;
        try (Connection other = dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("UPDATE fbf_counter SET value = value WHERE name = '" + page + "'");
            first = app.send("/count/" + page, "Idempotency-Key", key);
            await().until(() -> app.bean(NodeStatus.class).all().stream().anyMatch(scope -> scope.claims() > 0));

            HttpResponse<String> copy = post("/count/" + page);
            assertProblem(copy, 409, "in-progress");
            assertThat(copy.headers().firstValue("Retry-After")).isPresent();
            other.rollback();
        }

        assertThat(first.get().body()).isEqualTo("2");
        assertThat(post("/count/" + page).body()).isEqualTo("2");
    }

    /** A retry is replayed by the first use, so that the second one would be lost in a crash between the two. */
    @ParameterizedTest
    @ValueSource(strings = {"/twice/", "/two-transactions/"})
    void aSecondUseThatCommitsApartFromTheFirstIsRefused(String path) throws Exception {
        HttpResponse<String> refused = post(path + page);

        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(refused.body()).as("the page for errors").contains("\"status\":500");
        assertThat(counted()).hasValue(1);
        assertThat(app.bean(SqlCounters.class).value(page + "s")).isEmpty();
    }

    @Test
    void withinOneTransactionTheKeyIsUsedSeveralTimes() throws Exception {
        String path = "/transactional/";
        assertThat(post(path + page + "?fail").statusCode()).isEqualTo(500);
        assertThat(counted()).isEmpty();
        assertThat(views()).isZero();

        String another = "another-" + key;
        HttpResponse<String> first = app.post(path + page, "Idempotency-Key", another);
        HttpResponse<String> retry = app.post(path + page, "Idempotency-Key", another);

        assertThat(List.of(first.body(), retry.body())).containsExactly("3", "3");
        assertThat(counted()).hasValue(3);
        assertThat(app.bean(SqlCounters.class).value(page + "s")).hasValue(1);
        assertThat(views()).isEqualTo(1);
    }

    @Test
    void aTransactionThatRolledBackLeavesTheKeyUnused() throws Exception {
        assertThat(post("/attempts/" + page).body()).isEqualTo("1");
        assertThat(post("/attempts/" + page).statusCode()).isBetween(200, 204);

        assertThat(counted()).hasValue(1);
        assertThat(views()).isEqualTo(1);
    }

    /** Of a caught replay, nothing was entered: what else the handler has done is its own. */
    @Test
    void aTransactionThatSwallowsAReplayCommits() throws Exception {
        assertThat(post("/transactional-swallow/" + page).body()).isEqualTo("1");
        assertThat(post("/transactional-swallow/" + page).body()).isEqualTo("swallowed");
        assertThat(views()).isEqualTo(2);
        assertThat(counted()).hasValue(1);
    }

    @Test
    void aHandlerThatCatchesAReplayRespondsAsItLikesAndNothingIsAppliedAgain() throws Exception {
        HttpResponse<String> first = post("/swallow/" + page);

        assertThat(first.statusCode()).isEqualTo(200);
        HttpResponse<String> retry = post("/swallow/" + page);
        assertThat(retry.body()).isEqualTo("swallowed");
        assertThat(retry.headers().allValues("Idempotent-Replayed")).isEmpty();
        assertThat(counted()).hasValue(1);
    }

    @Test
    void anotherThreadMayNotUseTheKey() throws Exception {
        assertThat(post("/other-thread/" + page).body())
                .contains("scope=counters: the key of a request was used by a thread that does not handle");
        assertThat(counted()).isEmpty();
    }

    private static void assertProblem(HttpResponse<String> response, int status, String type) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(HttpApp.json(response).path("type").asString()).endsWith(":" + type);
    }

    private OptionalLong counted() {
        return app.bean(SqlCounters.class).value(page);
    }

    private long views() {
        return jdbc.sql("SELECT count(*) FROM view WHERE page = ?")
                .param(page)
                .query(Long.class)
                .single();
    }

    @RestController
    @Import(Beans.class)
    static class Handlers {

        private final SqlCounters counters;
        private final TransactionTemplate transaction;
        private final JdbcClient jdbc;

        Handlers(SqlCounters counters, PlatformTransactionManager manager, JdbcClient jdbc) {
            this.counters = counters;
            transaction = new TransactionTemplate(manager);
            this.jdbc = jdbc;
        }

        @PostMapping("/count/{page}")
        long count(@PathVariable String page, IdempotencyKey key) {
            return counters.increment(key, page, 1);
        }

        @PostMapping("/nullable")
        String nullable(@Nullable IdempotencyKey key) {
            return key == null ? "none" : key.value();
        }

        @PostMapping("/optional")
        String optional(Optional<IdempotencyKey> key) {
            return key.map(IdempotencyKey::value).orElse("none");
        }

        @PostMapping("/twice/{page}")
        long twice(@PathVariable String page, IdempotencyKey key) {
            counters.increment(key, page, 1);
            return counters.increment(key, page + "s", 1);
        }

        @PostMapping("/two-transactions/{page}")
        long twoTransactions(@PathVariable String page, IdempotencyKey key) {
            transaction.execute(status -> counters.increment(key, page, 1));
            return Objects.requireNonNull(transaction.execute(status -> counters.increment(key, page + "s", 1)));
        }

        @Transactional
        @PostMapping("/transactional/{page}")
        public long transactional(@PathVariable String page, IdempotencyKey key, @Nullable String fail) {
            view(page);
            counters.increment(key, page, 1);
            counters.increment(key, page + "s", 1);
            long value = Objects.requireNonNull(
                    counters.increment(key, Map.of(page, 2L)).get(page));
            if (fail != null) {
                throw new IllegalStateException("on purpose");
            }
            return value;
        }

        @PostMapping("/attempts/{page}")
        long attempts(@PathVariable String page, IdempotencyKey key) {
            transaction.executeWithoutResult(status -> {
                view(page);
                counters.increment(key, page, 1);
                status.setRollbackOnly();
            });
            return Objects.requireNonNull(transaction.execute(status -> {
                view(page);
                return counters.increment(key, page, 1);
            }));
        }

        @Transactional
        @PostMapping("/transactional-swallow/{page}")
        public String transactionalSwallow(@PathVariable String page, IdempotencyKey key) {
            view(page);
            return swallow(page, key);
        }

        @PostMapping("/swallow/{page}")
        String swallow(@PathVariable String page, IdempotencyKey key) {
            try {
                return "" + counters.increment(key, page, 1);
            } catch (RuntimeException e) {
                return "swallowed";
            }
        }

        @PostMapping("/other-thread/{page}")
        String otherThread(@PathVariable String page, IdempotencyKey key) throws InterruptedException {
            try {
                return CompletableFuture.supplyAsync(() -> "" + counters.increment(key, page, 1))
                        .get();
            } catch (ExecutionException e) {
                return String.valueOf(e.getCause());
            }
        }

        private void view(String page) {
            jdbc.sql("INSERT INTO view VALUES (?)").param(page).update();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        JdbcClient jdbc(DataSource dataSource) {
            return JdbcClient.create(dataSource);
        }
    }
}
