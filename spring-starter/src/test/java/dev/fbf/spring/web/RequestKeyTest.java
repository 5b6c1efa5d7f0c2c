package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.transaction.NodeStatus;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
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

    @Test
    void whereTheFirstResponseWasNotKeptARetryGetsNoContent() throws Exception {
        assertThat(post("/long/" + page).statusCode()).isEqualTo(200);

        assertThat(status(post("/long/" + page))).isEqualTo("204 replayed");
        assertThat(counted()).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/count/", "/transactional/", "/own-sql/"})
    void theSameKeyWithAnotherRequestIsRefused(String path) throws Exception {
        assertThat(post(path + page).statusCode()).isEqualTo(200);

        assertProblem(post(path + page + "?source=mail"), 422, "idempotency-key-reused");
        assertProblem(post(path + "another"), 422, "idempotency-key-reused");

        assertThat(app.bean(SqlCounters.class).value("another")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/count/", "/transactional/"})
    void aKeyThatIsTooOldIsRefused(String path) throws Exception {
        String old = TimedKeys.uuid(Instant.now().minus(Duration.ofHours(1)));

        assertProblem(app.post(path + page, "Idempotency-Key", old), 412, "idempotency-key-too-old");

        assertThat(counted()).isEmpty();
        assertThat(views()).isZero();
    }

    @Test
    void aRequestWithoutAKeyIsRefusedUnlessTheHandlerNeedsNone() throws Exception {
        assertProblem(app.post("/count/" + page), 400, "idempotency-key");
        assertProblem(app.post("/count/" + page, "Idempotency-Key", "two words"), 400, "idempotency-key");
        assertThat(counted()).isEmpty();

        for (String path : List.of("/nullable/", "/optional/")) {
            assertThat(app.post(path + page).body()).isEqualTo("none");
            assertThat(app.post(path + page, "Idempotency-Key", '"' + key + '"').body())
                    .isEqualTo(key);
            assertProblem(app.post(path + page, "Idempotency-Key", "two words"), 400, "idempotency-key");
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

    @Test
    void theSameKeyOfTwoUsersCountsForBoth() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(postAs("ada").body()).isEqualTo("1");
            assertThat(postAs("bob").body()).isEqualTo("2");
        }

        assertThat(counted()).hasValue(2);
    }

    private HttpResponse<String> postAs(String user) throws IOException, InterruptedException {
        return post("/count/" + page, "X-User", user);
    }

    /** A retry is replayed by the first use, so that the second one would be lost in a crash between the two. */
    @ParameterizedTest
    @ValueSource(strings = {"/twice/", "/two-transactions/", "/then-transaction/", "/work-twice/"})
    void aSecondUseThatCommitsApartFromTheFirstIsRefused(String path) throws Exception {
        HttpResponse<String> refused = post(path + page);

        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(refused.body()).as("the page for errors").contains("\"status\":500");
        assertThat(counted()).hasValue(1);
        assertThat(app.bean(SqlCounters.class).value(page + "s")).isEmpty();
    }

    @Test
    void aSecondUseWhoseRefusalTheHandlerCatchesIsNotApplied() throws Exception {
        assertThat(post("/twice-swallow/" + page).body()).isEqualTo("swallowed");
        assertThat(counted()).hasValue(1);
        assertThat(app.bean(SqlCounters.class).value(page + "s")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/transactional/", "/nested/"})
    void withinOneTransactionTheKeyIsUsedSeveralTimes(String path) throws Exception {
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

    @Test
    void afterAFailureOfItsOwnTheHandlerCanGoOn() throws Exception {
        assertThat(post("/unknown-first/" + page).body()).isEqualTo("1");
        assertThat(post("/unknown-first/" + page).body()).isEqualTo("1");

        assertThat(counted()).hasValue(1);
    }

    /** Of a caught replay, nothing was entered: what else the handler has done is its own. */
    @Test
    void aTransactionThatSwallowsAReplayCommits() throws Exception {
        assertThat(post("/transactional-swallow/" + page).body()).isEqualTo("1");
        assertThat(post("/transactional-swallow/" + page).body()).isEqualTo("swallowed");
        assertThat(views()).isEqualTo(2);
        assertThat(counted()).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({"/swallow/, 200", "/swallow-entity/, 200", "/rethrow/, 500"})
    void aHandlerThatCatchesAReplayRespondsAsItLikesAndNothingIsAppliedAgain(String path, int status) throws Exception {
        HttpResponse<String> first = post(path + page);

        assertThat(first.statusCode()).isEqualTo(200);
        HttpResponse<String> retry = post(path + page);
        assertThat(retry.statusCode()).isEqualTo(status);
        assertThat(retry.headers().allValues("Idempotent-Replayed")).isEmpty();
        assertThat(counted()).hasValue(1);
    }

    @Test
    void whereTheFirstResponseOfWorkWasNotKeptItsSubstituteResponds() throws Exception {
        assertThat(post("/work-long/" + page).body()).startsWith("long");
        assertThat(answer(post("/work-long/" + page))).isEqualTo("200 replayed: of onDuplicate");
        assertThat(views()).isEqualTo(1);
    }

    @Test
    void anAnnotatedMethodCountsWithTheKeyOfItsScope() throws Exception {
        assertThat(post("/annotated/" + page).body()).isEqualTo("1");
        assertThat(post("/annotated/" + page).body()).isEqualTo("1");

        assertThat(counted()).hasValue(1);
        assertThat(views()).isEqualTo(1);
    }

    @Test
    void anotherThreadMayNotUseTheKey() throws Exception {
        assertThat(post("/other-thread/" + page).body())
                .contains("scope=counters: the key of a request was used by a thread that does not handle");
        assertThat(counted()).isEmpty();
    }

    @Tag("slow")
    @Test
    void whereTheGuardIsSwitchedOffEachRequestCountsWithAKeyAndWithout(@TempDir Path another) throws Exception {
        try (HttpApp off = HttpApp.start(dataSource, another, Handlers.class, "fbf.enabled=false")) {
            assertThat(post(off, "/count/" + page).body()).isEqualTo("1");
            assertThat(post(off, "/count/" + page).body()).isEqualTo("2");
            assertThat(off.post("/count/" + page).body()).isEqualTo("3");
            assertThat(off.post("/optional/" + page).body()).isEqualTo("none");
        }
    }

    @Test
    void whereTheGuardIsSwitchedOffAHandlerTakesItsKeyWithoutADataSourceToo() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class, FbfWebAutoConfiguration.class))
                .withBean(Echo.class)
                .withPropertyValues("fbf.enabled=false")
                .run(context -> assertThat(MockMvcBuilders.webAppContextSetup(context)
                                .build()
                                .perform(MockMvcRequestBuilders.post("/echo").header("Idempotency-Key", "abc"))
                                .andReturn()
                                .getResponse()
                                .getContentAsString())
                        .isEqualTo("abc"));
    }

    @RestController
    static class Echo {

        @PostMapping("/echo")
        String echo(IdempotencyKey key) {
            return key.value();
        }
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
        private final IdempotentScope work;
        private final TransactionTemplate transaction;
        private final JdbcClient jdbc;

        Handlers(
                SqlCounters counters,
                IdempotentOperations operations,
                PlatformTransactionManager manager,
                JdbcClient jdbc) {
            this.counters = counters;
            work = operations.scope("work");
            transaction = new TransactionTemplate(manager);
            this.jdbc = jdbc;
        }

        @PostMapping("/count/{page}")
        long count(@PathVariable String page, IdempotencyKey key) {
            return counters.increment(key, page, 1);
        }

        @PostMapping("/long/{page}")
        String countAtLength(@PathVariable String page, IdempotencyKey key) {
            return "long".repeat(300) + counters.increment(key, page, 1);
        }

        @PostMapping("/nullable/{page}")
        String nullable(@PathVariable String page, @Nullable IdempotencyKey key) {
            return key == null ? "none" : key.value();
        }

        @PostMapping("/optional/{page}")
        String optional(@PathVariable String page, Optional<IdempotencyKey> key) {
            return key.map(IdempotencyKey::value).orElse("none");
        }

        @PostMapping("/twice/{page}")
        long twice(@PathVariable String page, IdempotencyKey key) {
            counters.increment(key, page, 1);
            return counters.increment(key, page + "s", 1);
        }

        @PostMapping("/twice-swallow/{page}")
        String twiceAndSwallow(@PathVariable String page, IdempotencyKey key) {
            counters.increment(key, page, 1);
            try {
                return "" + counters.increment(key, page + "s", 1);
            } catch (IllegalStateException e) {
                return "swallowed";
            }
        }

        @PostMapping("/two-transactions/{page}")
        long twoTransactions(@PathVariable String page, IdempotencyKey key) {
            transaction.execute(status -> counters.increment(key, page, 1));
            return Objects.requireNonNull(transaction.execute(status -> counters.increment(key, page + "s", 1)));
        }

        @PostMapping("/then-transaction/{page}")
        long thenTransaction(@PathVariable String page, IdempotencyKey key) {
            counters.increment(key, page, 1);
            return Objects.requireNonNull(transaction.execute(status -> counters.increment(key, page + "s", 1)));
        }

        @PostMapping("/work-twice/{page}")
        boolean workTwice(@PathVariable String page, IdempotencyKey key) {
            work.execute(key, () -> counters.increment(page));
            return work.execute(key, () -> counters.increment(page + "s"));
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

        /** The increments are of the transaction that the work of another scope has. */
        @PostMapping("/nested/{page}")
        long nested(@PathVariable String page, IdempotencyKey key, @Nullable String fail) {
            return work.execute(
                    key,
                    () -> {
                        view(page);
                        counters.increment(key, page, 3);
                        counters.increment(key, page + "s", 1);
                        if (fail != null) {
                            throw new IllegalStateException("on purpose");
                        }
                        return counters.value(page).orElseThrow();
                    },
                    () -> -1L);
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

        @PostMapping("/unknown-first/{page}")
        long unknownFirst(@PathVariable String page, IdempotencyKey key) {
            try {
                return counters.increment(key, "", 1);
            } catch (IllegalArgumentException e) {
                return counters.increment(key, page, 1);
            }
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

        @PostMapping("/swallow-entity/{page}")
        ResponseEntity<String> swallowEntity(@PathVariable String page, IdempotencyKey key) {
            try {
                return ResponseEntity.ok("" + counters.increment(key, page, 1));
            } catch (RuntimeException e) {
                return ResponseEntity.ok().build();
            }
        }

        @PostMapping("/rethrow/{page}")
        long rethrow(@PathVariable String page, IdempotencyKey key) {
            try {
                return counters.increment(key, page, 1);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("mine");
            }
        }

        @PostMapping("/own-sql/{page}")
        String work(@PathVariable String page, IdempotencyKey key) {
            return work.execute(
                    key,
                    () -> {
                        view(page);
                        return "counted";
                    },
                    () -> "of onDuplicate");
        }

        @PostMapping("/work-long/{page}")
        String workAtLength(@PathVariable String page, IdempotencyKey key) {
            return work.execute(
                    key,
                    () -> {
                        view(page);
                        return "long".repeat(300);
                    },
                    () -> "of onDuplicate");
        }

        @PostMapping("/annotated/{page}")
        @IdempotentIncrement(scope = "counters")
        public long annotated(@PathVariable String page, IdempotencyKey key) {
            view(page);
            return counters.increment(key, page, 1);
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

        @Bean
        Filter users() {
            return (request, response, chain) -> {
                String user = ((HttpServletRequest) request).getHeader("X-User");
                if (user != null) {
                    SecurityContextHolder.getContext()
                            .setAuthentication(new TestingAuthenticationToken(user, "password", "ROLE_USER"));
                }
                try {
                    chain.doFilter(request, response);
                } finally {
                    SecurityContextHolder.clearContext();
                }
            };
        }
    }
}
