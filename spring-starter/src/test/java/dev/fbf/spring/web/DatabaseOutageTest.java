package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationUnavailableException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What a client is told where the database does not answer: a COMMIT of the transaction around a guarded method, or anything. The latter is a
 * database behind a proxy that accepts connections and closes them, as one does whose servers are all down. The driver finds an {@link
 * java.io.EOFException}, which Spring MVC takes for a client that has gone.
 */
@GuardedApp(
        beans = {WaysToCount.class, DatabaseOutageTest.OwnHandler.class},
        properties = {"test.settle-timeout=500ms", HttpApp.SILENT_FAILURES})
class DatabaseOutageTest extends HttpAppTest {

    private final DataSource database = Objects.requireNonNull(dataSource.getTargetDataSource());

    @AfterEach
    void reconnect() {
        WaysToCount.beforeReturn = () -> {};
        dataSource.setTargetDataSource(database);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/own",
                "/transactional",
                "/sql-only",
                "/scope",
                "/counter",
                "/annotated-counter",
                "/new",
                "/argument",
                "/argument-transactional"
            })
    void aRequestIsToBeRetriedAndIsAppliedOnceThen(String path, EmbeddedPostgres postgres) throws Exception {
        try (FaultyProxy proxy = closingProxy(postgres)) {
            dataSource.setTargetDataSource(behind(proxy));
            assertUnreachable(post(path));
        }
        reconnect();

        assertThat(post(path).statusCode()).isEqualTo(200);
        assertThat(post(path).statusCode()).isBetween(200, 204);
        assertThat(total()).isEqualTo(1);
    }

    @Tag("slow")
    @Test
    void aRequestWithoutAKeyWhereNoneIsNeededIsNotTakenForServedEither(EmbeddedPostgres postgres) throws Exception {
        try (FaultyProxy proxy = closingProxy(postgres)) {
            dataSource.setTargetDataSource(behind(proxy));
            assertUnreachable(app.post("/keyless"));
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"/own", "/transactional", "/outer", "/scope"})
    void aConnectionThatBreaksBeforeTheCommitIsReason(String path) throws Exception {
        WaysToCount.beforeReturn = () -> terminate();

        HttpResponse<String> first = post(path);
        assertThat(first.statusCode()).as(first.body()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.body())
                .contains("tag:fbf.dev,2026:problem:" + (mode == Mode.FILTER ? "unreachable" : "in-doubt"));

        WaysToCount.beforeReturn = () -> {};
        assertThat(post(path).statusCode()).isEqualTo(200);
        assertThat(total()).isEqualTo(1);
    }

    @Tag("slow")
    @Test
    void whatTheApplicationThrowsForOtherReasonsPasses() throws Exception {
        WaysToCount.beforeReturn = () -> {
            try {
                terminate();
            } catch (DataAccessException e) {
                throw new IllegalArgumentException("mine");
            }
        };

        assertThat(post("/own").statusCode()).isEqualTo(500);

        WaysToCount.beforeReturn = () -> {};
        assertThat(post("/own").statusCode()).isEqualTo(200);
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void theCallersCommitWhoseAnswerIsLostIsToBeRetried() throws Exception {
        dataSource.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
        HttpResponse<String> first = post("/outer");

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.body()).contains("tag:fbf.dev,2026:problem:in-doubt", "was applied");
        assertThat(answer(post("/outer"))).isEqualTo("200: counted before");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void theCallersCommitThatNeverArrivedIsToBeRetried() throws Exception {
        dataSource.breakNextCommit(FragileDataSource.Fate.LOST);
        HttpResponse<String> first = post("/outer");

        assertThat(first.statusCode()).as(first.body()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.body()).contains(mode == Mode.FILTER ? "was not applied" : "is not known yet");
        assertThat(post("/outer").body()).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void theCallersCommitIsToBeRetriedWhileNobodyKnowsItsOutcome() throws Exception {
        dataSource.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
        HttpResponse<String> first = post("/outer");
        dataSource.reconnect();

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.body()).contains("is not known yet");
        await().until(() -> post("/outer").body().equals("counted before"));
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void whatAHandlerThrowsWithoutAnyOperationPasses() throws Exception {
        assertThat(post("/plain").statusCode()).isEqualTo(500);
    }

    /** The handler's own transaction does not begin, so the key is not used. */
    @Test
    void theRefusalNamesNoScopeWhereNoOperationWasReached() throws Exception {
        dataSource.cutOff();
        HttpResponse<String> refused = post("/own-handler");
        dataSource.reconnect();

        assertThat(refused.body())
                .contains("No guarded method was reached", "was not applied now")
                .doesNotContain("scope");
    }

    @Test
    void anUnguardedHandlerGetsNoTextOfFbfThoughItsRequestHasAKey() throws Exception {
        HttpResponse<String> response = post("/two-transactions");
        dataSource.reconnect();

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).doesNotContain("fbf", "applied");
        assertThat(counted.value()).isEqualTo(1);
    }

    /** Spring MVC takes the lost connection for that of the client. */
    @Tag("slow")
    @Test
    void anUnguardedHandlerWhoseTransactionDoesNotBeginHasNotServedARequestWithAKey(EmbeddedPostgres postgres)
            throws Exception {
        try (FaultyProxy proxy = closingProxy(postgres)) {
            dataSource.setTargetDataSource(behind(proxy));
            HttpResponse<String> response = post("/outer");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.body()).doesNotContain("fbf", "applied");
        }
        reconnect();

        assertThat(post("/outer").body()).isEqualTo("counted");
    }

    private static void assertUnreachable(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(response.body()).contains("tag:fbf.dev,2026:problem:unreachable");
    }

    private long total() {
        return counted.value()
                + JdbcClient.create(database)
                        .sql("SELECT count(*) FROM fbf_counter WHERE name = ?")
                        .param(key)
                        .query(Long.class)
                        .single();
    }

    /** As an administrator does, or the server when it stops. */
    private static void terminate() {
        JdbcClient.create(dataSource)
                .sql("SELECT pg_terminate_backend(pg_backend_pid())")
                .query()
                .singleValue();
    }

    private static FaultyProxy closingProxy(EmbeddedPostgres postgres) throws IOException {
        FaultyProxy proxy = FaultyProxy.to(postgres.getPort());
        proxy.set(FaultyProxy.Passage.CLOSING);
        return proxy;
    }

    private static DataSource behind(FaultyProxy proxy) {
        PGSimpleDataSource behind = new PGSimpleDataSource();
        behind.setServerNames(new String[] {"localhost"});
        behind.setPortNumbers(new int[] {proxy.port()});
        behind.setUser("postgres");
        behind.setDatabaseName("postgres");
        return behind;
    }

    @RestController
    static class OwnHandler {

        private final WaysToCount.Inner inner;
        private final TransactionTemplate transaction;

        OwnHandler(WaysToCount.Inner inner, PlatformTransactionManager transactions) {
            this.inner = inner;
            transaction = new TransactionTemplate(transactions);
        }

        @PostMapping("/plain")
        public String plain() {
            throw new IllegalArgumentException("mine");
        }

        @PostMapping("/own-handler")
        @Transactional
        public String outer(IdempotencyKey key) {
            return key.value();
        }

        @PostMapping("/two-transactions")
        public void commitAndFail() {
            transaction.executeWithoutResult(status -> inner.countUnguarded());
            dataSource.cutOff();
            transaction.executeWithoutResult(status -> inner.countUnguarded());
        }

        @ExceptionHandler
        public String onRefusal(OperationUnavailableException refusal) {
            return String.valueOf(refusal.getMessage());
        }
    }
}
