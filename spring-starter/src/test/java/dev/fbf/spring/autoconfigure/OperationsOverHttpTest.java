package dev.fbf.spring.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.core.OperationId;
import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** An operator asks about one operation, and has it forgotten. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(300)
@GuardedApp(
        beans = {OperationsOverHttpTest.Views.class, OperationsOverHttpTest.Spans.class},
        properties = {
            AbsentLibraries.NONE,
            "management.endpoints.web.exposure.include=fbfoperations",
            "management.endpoint.fbfoperations.access=unrestricted",
            "test.settle-timeout=200ms"
        })
class OperationsOverHttpTest extends HttpAppTest {

    @TempDir
    private static Path other;

    @Test
    void anOperationIsUnknownUntilItWasApplied() throws Exception {
        assertThat(state()).isEqualTo("unknown");
        post("/views");

        JsonNode found = json(get("views?key=" + key));
        assertThat(found.path("state").asString()).isEqualTo("applied");
    }

    @Test
    void anOperationOfACallerIsFoundWithItsCaller() throws Exception {
        post("/views/of-ada");

        assertThat(json(get("ada?key=" + key)).path("state").asString()).isEqualTo("unknown");
        assertThat(json(get("ada?caller=ada&key=" + key)).path("state").asString())
                .isEqualTo("applied");
    }

    @Test
    void theSpanAndTheLogOfARequestNameItsOperationSoThatItIsFoundWithoutItsKey(CapturedOutput output)
            throws Exception {
        LoggingSystem logging = app.bean(LoggingSystem.class);
        logging.setLogLevel("dev.fbf.spring.operation", LogLevel.DEBUG);
        post("/views/of-ada");
        logging.setLogLevel("dev.fbf.spring.operation", null);

        String id = OperationId.of("ada", "ada", key).toString();
        assertThat(Spans.values).contains("operation=" + id);
        assertThat(output).contains("Operation " + id + " of scope ada: ");
        assertThat(json(get("ada?id=" + id)).path("state").asString()).isEqualTo("applied");
        assertThat(output).doesNotContain(key);
    }

    @Test
    void anOperationInProgressIsShownAndNotForgotten() throws Exception {
        CompletableFuture<HttpResponse<String>> first = send("/views/slowly");
        Views.begun.acquire();

        assertThat(state("slow")).isEqualTo("in-progress");
        HttpResponse<String> refused = delete("slow?key=" + key);
        Views.finish.release();
        first.join();

        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("in progress");
        assertThat(state("slow")).isEqualTo("applied");
    }

    /** In ledger mode a retry finds the outcome, and so does the operator. */
    @Test
    void anOperationInDoubtIsShownUntilItIsSettled() throws Exception {
        dataSource.breakNextCommit(FragileDataSource.Fate.STUCK);
        assertThat(post("/views").statusCode()).isEqualTo(503);

        assertThat(state()).isEqualTo(mode == Mode.FILTER ? "in-doubt" : "unknown");
        assertThat(delete("views?key=" + key).statusCode()).isEqualTo(mode == Mode.FILTER ? 409 : 404);
        dataSource.endStuck(true);
        await().until(() -> state().equals("applied"));
    }

    @Test
    void anOperationIsForgottenWhereARowIsAllThatRemembersIt(CapturedOutput output) throws Exception {
        post("/views");
        String id = json(get("views?key=" + key)).path("id").asString();
        await().until(() -> mode == Mode.FILTER || keptResponses(id) == 1);

        HttpResponse<String> forgotten = delete("views?key=" + key);

        if (mode == Mode.FILTER) {
            assertThat(forgotten.statusCode()).isEqualTo(409);
            assertThat(forgotten.body()).contains("views is in filter mode").contains("cannot delete");
            assertThat(status(post("/views"))).isEqualTo("200 replayed");
        } else {
            assertThat(forgotten.statusCode()).as(forgotten.body()).isEqualTo(204);
            assertThat(output).contains("An operator has had the operation " + id + " of scope views forgotten");
            assertThat(keptResponses(id)).isZero();
            assertThat(state()).isEqualTo("unknown");
            assertThat(status(post("/views"))).isEqualTo("200");
            assertThat(status(post("/views"))).isEqualTo("200 replayed");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "views, 400",
        "views?key=a&id=0123456789abcdef0123456789abcdef, 400",
        "views?id=0123, 400",
        "none?key=a, 404"
    })
    void whatNamesNoOperationIsRefused(String query, int status) throws Exception {
        assertThat(get(query).statusCode()).isEqualTo(status);
        assertThat(delete(query).statusCode()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "fbf,           none,         404, 404",
        "*,             none,         404, 404",
        "fbf,           unrestricted, 404, 404",
        "fbfoperations, none,         404, 404",
        "fbfoperations, read-only,    200, 405",
        "fbfoperations, unrestricted, 200, 404"
    })
    void isOpenOnlyWhereItIsExposedByItsNameAndGivenAccess(String exposed, String access, int found, int forgotten)
            throws Exception {
        assumeTrue(mode == Mode.LEDGER, "the mode has no part in it");
        assertAnswers(
                found,
                forgotten,
                "management.endpoints.web.exposure.include=" + exposed,
                access.equals("none") ? "no=access" : "management.endpoint.fbfoperations.access=" + access);
    }

    private void assertAnswers(int toGet, int toDelete, String... properties) throws Exception {
        String[] all = Stream.concat(Stream.of(AbsentLibraries.NONE, "fbf.mode=" + mode), Stream.of(properties))
                .toArray(String[]::new);
        HttpApp before = app;
        try (HttpApp its = HttpApp.start(dataSource, other, Views.class, all)) {
            app = its;
            assertThat(get("views?key=a").statusCode()).isEqualTo(toGet);
            assertThat(delete("views?key=a").statusCode()).isEqualTo(toDelete);
        } finally {
            app = before;
        }
    }

    private static long keptResponses(String id) {
        return JdbcClient.create(dataSource)
                .sql("SELECT count(*) FROM fbf_response WHERE operation = CAST(? AS uuid)")
                .param(id)
                .query(Long.class)
                .single();
    }

    private String state() throws IOException, InterruptedException {
        return state("views");
    }

    private String state(String scope) throws IOException, InterruptedException {
        return json(get(scope + "?key=" + key)).path("state").asString();
    }

    private static JsonNode json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return HttpApp.json(response);
    }

    private static HttpResponse<String> get(String query) throws IOException, InterruptedException {
        return app.get("/actuator/fbfoperations/" + query, "*/*");
    }

    private static HttpResponse<String> delete(String query) throws IOException, InterruptedException {
        return app.send("DELETE", "/actuator/fbfoperations/" + query, "no-key", "text/plain", "".getBytes(UTF_8));
    }

    @RestController
    static class Views {

        static final Semaphore begun = new Semaphore(0);
        static final Semaphore finish = new Semaphore(0);

        @PostMapping("/views")
        @IdempotentIncrement(scope = "views")
        String view() {
            return "viewed";
        }

        @PostMapping("/views/of-ada")
        @IdempotentIncrement(scope = "ada", caller = "'ada'")
        String viewOfAda() {
            return "viewed";
        }

        @PostMapping("/views/slowly")
        @IdempotentIncrement(scope = "slow")
        String viewSlowly() throws InterruptedException {
            begun.release();
            finish.acquire();
            return "viewed";
        }
    }

    /** The values that spans would have and meters do not. */
    static class Spans implements ObservationHandler<Observation.Context> {

        static final List<String> values = new ArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return "fbf.operation".equals(context.getName());
        }

        @Override
        public synchronized void onStop(Observation.Context context) {
            context.getHighCardinalityKeyValues().forEach(value -> values.add(value.getKey() + "=" + value.getValue()));
        }
    }
}
