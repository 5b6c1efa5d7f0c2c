package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationRefusedException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Replays and refusals in an application whose own handlers take all exceptions that they can get. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = {
            ExceptionHandlersTest.Orders.class,
            ExceptionHandlersTest.CautiousOrders.class,
            ExceptionHandlersTest.Asking.class,
            ExceptionHandlersTest.TakesAll.class
        },
        properties = {"spring.mvc.log-resolved-exception=true", "logging.level.org.springframework.web.servlet=warn"})
class ExceptionHandlersTest extends HttpAppTest {

    @ParameterizedTest
    @ValueSource(strings = {"/advised", "/cautious"})
    void doNotHandleReplays(String path, CapturedOutput output) throws Exception {
        HttpResponse<String> first = post(path);
        HttpResponse<String> retry = post(path);

        assertThat(first.statusCode()).isEqualTo(201);
        assertReplayed(retry, first);
        assertThat(retry.headers().firstValue("Location")).hasValue("/orders/1");
        assertThat(output).doesNotContain("ReplayedResponseException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/advised", "/cautious"})
    void doNotHandleRefusals(String path, CapturedOutput output) throws Exception {
        post(path);
        List<HttpResponse<String>> refusals = List.of(
                app.post(path),
                app.post(path, "Idempotency-Key", "01ARYZ6S41TSV4RRFFQ69G5FAV"),
                post(path + "?another"));

        assertThat(refusals).extracting(HttpResponse::statusCode).containsExactly(400, 412, 422);
        assertThat(refusals)
                .extracting(
                        refusal -> refusal.headers().firstValue("Content-Type").orElse(""))
                .containsOnly("application/problem+json");
        assertThat(output).doesNotContain("IdempotencyKeyException");
    }

    @Test
    void handleTheirOwnExceptions() throws Exception {
        assertThat(post("/advised?failing=true").statusCode()).isEqualTo(418);
        assertThat(post("/cautious?failing=true").body()).isEqualTo("cautious: mine");
    }

    @Test
    void handleRefusalsWhereTheyNameThem() throws Exception {
        HttpResponse<String> response = app.post("/asking");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).isEqualTo("asked: IdempotencyKeyException");
    }

    /** The operation was applied: its retry is a success, which a handler for refusals would make an error of. */
    @Test
    void doNotHandleADuplicateWhereTheyNameAllRefusals() throws Exception {
        assertThat(post("/asking/long").statusCode()).isEqualTo(200);

        assertThat(status(post("/asking/long"))).isEqualTo("204 replayed");
    }

    @ControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class TakesAll {

        @ExceptionHandler
        ResponseEntity<String> onException(Exception e) {
            return ResponseEntity.status(418).body(e.getMessage());
        }
    }

    @RestController
    static class Orders {

        @PostMapping("/advised")
        @IdempotentIncrement(scope = "orders")
        ResponseEntity<String> order(@RequestParam(defaultValue = "false") boolean failing) {
            return respond(failing);
        }

        static ResponseEntity<String> respond(boolean failing) {
            if (failing) {
                throw new IllegalArgumentException("mine");
            }
            return ResponseEntity.created(URI.create("/orders/1")).body("order 1");
        }
    }

    @RestController
    static class CautiousOrders {

        @PostMapping("/cautious")
        @IdempotentIncrement(scope = "cautious")
        ResponseEntity<String> order(@RequestParam(defaultValue = "false") boolean failing) {
            return Orders.respond(failing);
        }

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> onException(Exception e) {
            return ResponseEntity.internalServerError().body("cautious: " + e.getMessage());
        }
    }

    @RestController
    static class Asking {

        @PostMapping("/asking")
        @IdempotentIncrement(scope = "asking")
        void order() {}

        @PostMapping("/asking/long")
        @IdempotentIncrement(scope = "asking-long")
        String respondAtLength() {
            return "x".repeat(5_000);
        }

        @ExceptionHandler
        ResponseEntity<String> onRefusal(OperationRefusedException e) {
            return ResponseEntity.badRequest().body("asked: " + e.getClass().getSimpleName());
        }
    }
}
