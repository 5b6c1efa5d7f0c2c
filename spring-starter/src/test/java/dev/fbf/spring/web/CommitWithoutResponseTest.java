package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Wire;
import dev.fbf.spring.Wire.Cut;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A COMMIT without a response is refused, and nothing is kept from the next attempt, which finds out. */
@GuardedApp(modes = Mode.LEDGER, beans = WaysToCount.class, properties = HttpApp.SILENT_FAILURES)
@Timeout(60)
class CommitWithoutResponseTest extends HttpAppTest {

    private static final List<String> PATHS = List.of(
            "/own", "/transactional", "/sql-only", "/outer", "/scope", "/batch", "/counter", "/annotated-counter");

    private final DataSource database = Objects.requireNonNull(dataSource.getTargetDataSource());

    @SuppressWarnings("NullAway.Init")
    private Wire wire;

    @BeforeEach
    void connectThroughTheWire(EmbeddedPostgres postgres) throws IOException {
        wire = Wire.to(postgres.getPort());
        dataSource.setTargetDataSource(wire.dataSource("postgres"));
    }

    @AfterEach
    void connectDirectly() throws IOException {
        dataSource.setTargetDataSource(database);
        wire.close();
    }

    @ParameterizedTest
    @FieldSource("PATHS")
    void aRetryOfACommitThatHasHappenedIsARetry(String path) throws Exception {
        wire.cutNext(Cut.AFTER_IT, committing(path));
        assertInDoubt(post(path));
        assertThat(wire.hasCut()).isTrue();

        assertServed(post(path));
        assertThat(total()).isEqualTo(1);
    }

    @ParameterizedTest
    @FieldSource("PATHS")
    void aRetryOfACommitThatNeverArrivedIsApplied(String path) throws Exception {
        wire.cutNext(Cut.BEFORE_IT, committing(path));
        assertThat(post(path).statusCode()).isEqualTo(503);
        assertThat(wire.hasCut()).isTrue();
        assertThat(total()).isZero();

        assertThat(post(path).statusCode()).isEqualTo(200);
        assertServed(post(path));
        assertThat(total()).isEqualTo(1);
    }

    private static Stream<Arguments> cutsAndPaths() {
        return Stream.of(Cut.values()).flatMap(cut -> PATHS.stream().map(path -> Arguments.of(cut, path)));
    }

    /** Nothing has to be settled first. */
    @ParameterizedTest
    @MethodSource("cutsAndPaths")
    void theFirstRetryAfterAnOutageIsServed(Cut cut, String path) throws Exception {
        wire.cutNextAndGoAway(cut, committing(path));
        for (int attempt = 0; attempt < 2; attempt++) {
            HttpResponse<String> refused = post(path);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        }
        wire.comeBack();

        assertServed(post(path));
        assertThat(total()).isEqualTo(1);
    }

    /** A group of increments is one statement, which is its own transaction. */
    private static String committing(String path) {
        return path.equals("/counter") ? "fbf_counter" : "COMMIT";
    }

    private static void assertInDoubt(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(HttpApp.json(response).path("type").asString()).isEqualTo("tag:fbf.dev,2026:problem:in-doubt");
    }

    private static void assertServed(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 204);
    }

    private long total() {
        return JdbcClient.create(database)
                .sql("SELECT value + (SELECT coalesce(sum(value), 0) FROM fbf_counter WHERE name = ?) FROM counted")
                .param(key)
                .query(Long.class)
                .single();
    }
}
