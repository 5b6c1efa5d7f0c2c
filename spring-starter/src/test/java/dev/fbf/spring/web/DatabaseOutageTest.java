package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Wire;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * What a client is told where the database does not answer: a COMMIT of the transaction around a guarded method, or anything. The latter is a
 * database behind a proxy that accepts connections and closes them, as one does whose servers are all down. The driver finds an {@link
 * java.io.EOFException}, which Spring MVC takes for a client that has gone.
 */
@GuardedApp(
        beans = WaysToCount.class,
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
        try (Wire wire = gone(postgres)) {
            dataSource.setTargetDataSource(wire.dataSource("postgres"));
            assertUnreachable(post(path));
        }
        reconnect();

        assertThat(post(path).statusCode()).isEqualTo(200);
        assertThat(post(path).statusCode()).isBetween(200, 204);
        assertThat(total()).isEqualTo(1);
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

    /** A driver's defect is neither a failure of fbf's files nor one of other operations. */
    @ParameterizedTest
    @ValueSource(strings = {"/own", "/transactional", "/scope", "/counter"})
    void anErrorOfTheDriverLeavesTheOperationNew(String path) throws Exception {
        dataSource.setTargetDataSource(new DelegatingDataSource(database) {
            @Override
            public Connection getConnection() {
                throw new InternalError("of the driver");
            }
        });
        assertThat(post(path).statusCode()).isBetween(500, 503);
        reconnect();

        assertThat(post(path).statusCode()).isEqualTo(200);
        assertThat(total()).isEqualTo(1);
    }

    @Tag("slow")
    @Test
    void anUnguardedHandlerWhoseTransactionDoesNotBeginHasNotServedARequestWithAKey(EmbeddedPostgres postgres)
            throws Exception {
        try (Wire wire = gone(postgres)) {
            dataSource.setTargetDataSource(wire.dataSource("postgres"));
            assertUnreachable(post("/outer"));
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

    private static Wire gone(EmbeddedPostgres postgres) throws IOException {
        Wire wire = Wire.to(postgres.getPort());
        wire.goAway();
        return wire;
    }
}
