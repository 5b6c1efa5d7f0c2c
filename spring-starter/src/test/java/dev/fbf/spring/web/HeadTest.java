package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** HEAD, which Spring maps to handlers of GET: a link checker that sends it changes no counter. */
@GuardedApp(beans = HeadTest.Counters.class)
class HeadTest extends HttpAppTest {

    @ParameterizedTest
    @ValueSource(strings = {"/pixel", "/header", "/argument", "/any"})
    void doesNotApplyTheOperationOfAGuardedHandler(String path) throws Exception {
        int before = calls();

        HttpResponse<String> head = send("HEAD", path);

        assertThat(head.statusCode()).isEqualTo(405);
        assertThat(head.headers().firstValue("Allow")).hasValue("GET");
        assertThat(calls()).isEqualTo(before);
        assertThat(answer(send("GET", path))).isEqualTo("200: " + (before + 1));
    }

    @Test
    void reachesOtherHandlersAsWithoutFbf() throws Exception {
        assertThat(send("HEAD", "/unguarded").statusCode()).isEqualTo(200);
    }

    private HttpResponse<String> send(String method, String path) throws Exception {
        return app.send(method, path + "?id=" + key, key, "text/plain", new byte[0]);
    }

    private static int calls() {
        return app.bean(Counters.class).calls();
    }

    @RestController
    static class Counters {

        private final AtomicInteger calls = new AtomicInteger();
        private final IdempotentScope argument;

        Counters(IdempotentOperations operations) {
            argument = operations.scope("argument");
        }

        @GetMapping("/pixel")
        @IdempotentIncrement(scope = "pixel", key = "#id")
        int count(String id) {
            return calls.incrementAndGet();
        }

        @GetMapping("/header")
        @IdempotentIncrement(scope = "header")
        int countByHeader() {
            return calls.incrementAndGet();
        }

        @GetMapping("/argument")
        int countByArgument(IdempotencyKey key) {
            return argument.execute(key, calls::incrementAndGet, () -> -1);
        }

        @RequestMapping("/any")
        @IdempotentIncrement(scope = "any")
        int countByAnyMethod() {
            return calls.incrementAndGet();
        }

        @GetMapping("/unguarded")
        int calls() {
            return calls.get();
        }
    }
}
