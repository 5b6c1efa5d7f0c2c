package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.SqlCounters;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Over real HTTP, with a real PostgreSQL behind. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = {HttpContractTest.Service.class, HttpContractTest.Unguarded.class},
        properties = {"fbf.responses.enabled=false", "logging.level.dev.fbf.spring.method.StartNotices=info"})
class HttpContractTest extends HttpAppTest {

    /** The handler has done its own work again: its response is no replay. */
    @Test
    void aReplayWithinAnUnguardedHandlerIsNotSaidOfItsResponse() throws Exception {
        assertThat(post("/unguarded/a").body()).isEqualTo("handled: counted a");

        assertThat(answer(post("/unguarded/a"))).isEqualTo("200: handled: counted before a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/by-service", "/functional"})
    void aReplayOfAServiceWithoutOnDuplicateIsAnswered204AndSaysSo(String path) throws Exception {
        assertThat(post(path).statusCode()).isEqualTo(200);

        assertThat(status(post(path))).isEqualTo("204 replayed");
    }

    @Test
    void theStartNamesServicesWhoseRetriesGetNoBody() {
        assertThat(startLog).contains("Retries of [Service.countSilently()] throw a DuplicateOperationException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x%00", "xxxxxxxxxxxxxxxxxxxx"})
    void anImpossibleNameOfACounterGets400AndLeavesTheOperationNew(String name) throws Exception {
        String path = "/named?name=" + (name.startsWith("xx") ? name.repeat(20) : name);
        HttpResponse<String> response = app.post(path, "Idempotency-Key", "named-" + name);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(HttpApp.json(response).get("detail").asString()).startsWith("The name of a counter must ");
        assertThat(app.post("/named?name=right", "Idempotency-Key", "named-" + name)
                        .body())
                .isNotEmpty();
    }

    static class Service {

        @IdempotentIncrement(scope = "service", onDuplicate = "before")
        String count(String name) {
            return "counted " + name;
        }

        String before(String name) {
            return "counted before " + name;
        }

        @IdempotentIncrement(scope = "silent-service")
        String countSilently() {
            return "counted";
        }
    }

    @RestController
    static class Unguarded {

        private final Service service;
        private final SqlCounters named;

        Unguarded(Service service, SqlCounters named) {
            this.service = service;
            this.named = named;
        }

        @PostMapping("/unguarded/{name}")
        String handle(@PathVariable String name) {
            return "handled: " + service.count(name);
        }

        @PostMapping("/named")
        @IdempotentIncrement(scope = "named")
        String handleNamed(@RequestParam String name) {
            return "" + named.increment(name);
        }

        @PostMapping("/by-service")
        String handleByService() {
            return service.countSilently();
        }

        @Bean
        static RouterFunction<ServerResponse> functional(Service service) {
            return RouterFunctions.route()
                    .POST("/functional", request -> ServerResponse.ok().body(service.countSilently()))
                    .build();
        }
    }
}
