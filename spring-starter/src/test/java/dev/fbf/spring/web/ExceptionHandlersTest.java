package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationRefusedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Replays and refusals in an application whose own handlers take all exceptions that they can get. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = ExceptionHandlersTest.Beans.class,
        properties = {"spring.mvc.log-resolved-exception=true", "logging.level.org.springframework.web.servlet=warn"})
class ExceptionHandlersTest extends HttpAppTest {

    @ParameterizedTest
    @ValueSource(strings = {"/orders", "/advised", "/cautious"})
    void doNotHandleReplays(String path, CapturedOutput output) throws Exception {
        HttpResponse<String> first = post(path);
        HttpResponse<String> retry = post(path);

        assertThat(first.statusCode()).isEqualTo(201);
        assertReplayed(retry, first);
        assertThat(retry.headers().firstValue("Location")).hasValue("/orders/1");
        assertThat(output).doesNotContain("ReplayedResponseException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/orders", "/advised", "/cautious"})
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

    @ParameterizedTest
    @ValueSource(strings = {"/orders/slow", "/advised/slow", "/cautious/slow"})
    void doNotHandleRequestsInProgress(String path) throws Exception {
        CompletableFuture<HttpResponse<String>> first = send(path);
        Orders.begun.acquire();
        HttpResponse<String> second = post(path);
        Orders.goOn.release();

        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(second.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.get().statusCode()).isEqualTo(200);
    }

    @Test
    void doNotHandleRetriesWhoseResponseIsNotKept() throws Exception {
        assertThat(post("/long").statusCode()).isEqualTo(200);

        assertThat(post("/long").statusCode()).isEqualTo(204);
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

    @Test
    void addToProblemsAsToThoseOfSpring() throws Exception {
        HttpResponse<String> response = app.post("/orders");

        assertThat(HttpApp.json(response).path("type").asString())
                .isEqualTo("tag:fbf.dev,2026:problem:idempotency-key");
        assertThat(HttpApp.json(response).path("support").asString()).isEqualTo("https://shop.example/support");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Orders.class, CautiousOrders.class, Asking.class, TakesAll.class})
    static class Beans {

        @Bean
        HandlerExceptionResolver first() {
            return new First();
        }

        @Bean
        WebMvcConfigurer support() {
            return new WebMvcConfigurer() {
                @Override
                public void addErrorResponseInterceptors(List<ErrorResponse.Interceptor> interceptors) {
                    interceptors.add(
                            (detail, response) -> detail.setProperty("support", "https://shop.example/support"));
                }
            };
        }
    }

    /** Before the resolvers of Spring; leaves some requests to {@link TakesAll} and to controllers. */
    static final class First implements HandlerExceptionResolver, Ordered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public @Nullable ModelAndView resolveException(
                HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception e) {
            if (!request.getRequestURI().startsWith("/orders")) {
                return null;
            }
            response.setStatus(500);
            return new ModelAndView();
        }
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

        static final Semaphore begun = new Semaphore(0);
        static final Semaphore goOn = new Semaphore(0);

        @PostMapping({"/orders", "/advised"})
        @IdempotentIncrement(scope = "orders")
        ResponseEntity<String> order(@RequestParam(defaultValue = "false") boolean failing) {
            return respond(failing);
        }

        @PostMapping({"/orders/slow", "/advised/slow"})
        @IdempotentIncrement(scope = "slow")
        void goSlow() throws InterruptedException {
            awaitOther();
        }

        @PostMapping("/long")
        @IdempotentIncrement(scope = "long")
        String respondAtLength() {
            return "x".repeat(5_000);
        }

        static void awaitOther() throws InterruptedException {
            begun.release();
            goOn.acquire();
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

        @PostMapping("/cautious/slow")
        @IdempotentIncrement(scope = "cautious-slow")
        void goSlow() throws InterruptedException {
            Orders.awaitOther();
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
