package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Two versions of a handler (Spring 7): a client that is updated between a request and its retry changes the counter once. */
@GuardedApp(
        beans = ApiVersionsTest.Counters.class,
        properties = {
            "spring.mvc.apiversion.use.header=X-Version",
            "spring.mvc.apiversion.use.query-parameter=version",
        })
class ApiVersionsTest extends HttpAppTest {

    @Test
    void withOneScopeAreOneOperationWhoseRetryGetsTheFirstVersionsResponse() throws Exception {
        int before = app.bean(Counters.class).calls();
        HttpResponse<String> first = post("/counted", "X-Version", "1");

        assertReplayed(post("/counted", "X-Version", "2"), first);
        assertThat(app.bean(Counters.class).calls()).isEqualTo(before + 1);
    }

    @Test
    void withAScopeOfTheirOwnAreTwoOperations() throws Exception {
        assertThat(status(post("/apart", "X-Version", "1"))).isEqualTo("200");
        assertThat(status(post("/apart", "X-Version", "2"))).isEqualTo("200");
    }

    @Test
    void thatTheQueryNamesAreRequestsThatDiffer() throws Exception {
        assertThat(status(post("/counted?version=1"))).isEqualTo("200");

        assertThat(status(post("/counted?version=2"))).isEqualTo("422");
    }

    @RestController
    static class Counters {

        private final AtomicInteger calls = new AtomicInteger();

        int calls() {
            return calls.get();
        }

        record Count(int count) {}

        record Total(int total) {}

        @PostMapping(path = "/counted", version = "1")
        @IdempotentIncrement(scope = "counted")
        Count count() {
            return new Count(calls.incrementAndGet());
        }

        @PostMapping(path = "/counted", version = "2")
        @IdempotentIncrement(scope = "counted")
        Total countIn2() {
            return new Total(calls.incrementAndGet());
        }

        @PostMapping(path = "/apart", version = "1")
        @IdempotentIncrement(scope = "first")
        int countApart() {
            return calls.incrementAndGet();
        }

        @PostMapping(path = "/apart", version = "2")
        @IdempotentIncrement(scope = "second")
        int countApartIn2() {
            return calls.incrementAndGet();
        }
    }
}
