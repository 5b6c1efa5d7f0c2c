package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a retry of an applied operation gets: one rule, in both modes. */
@ParameterizedClass(name = "{0} mode")
@ValueSource(strings = {"filter", "ledger"})
@ExtendWith(PostgresExtension.class)
class RetryRuleTest {

    /** The body is too long to be kept. */
    private static final String LONG = "a long response ".repeat(300);

    @TempDir
    private static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static HttpApp app;

    private final String key = UUID.randomUUID().toString();

    @SuppressWarnings("UnusedVariable") // the application has it
    RetryRuleTest(String mode) {}

    @BeforeParameterizedClassInvocation
    static void start(String mode, DataSource dataSource) {
        app = HttpApp.start(
                dataSource,
                directory.resolve(mode),
                List.of(Handlers.class),
                "fbf.mode=" + mode,
                "fbf.responses.max-body=1KB");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @Test
    void theFirstResponseComesBeforeOnDuplicate() throws Exception {
        assertThat(post("/kept").body()).isEqualTo("the first");
        assertThat(post("/kept").body()).isEqualTo("the first");
    }

    @Test
    void onDuplicateRespondsWhereTheFirstResponseWasNotKept() throws Exception {
        assertThat(post("/too-long").body()).isEqualTo(LONG);
        assertThat(post("/too-long").body()).isEqualTo("of onDuplicate");
    }

    @Test
    void withoutBothAnHttpClientGetsNoContent() throws Exception {
        assertThat(post("/without").body()).isEqualTo(LONG);
        HttpResponse<String> retry = post("/without");

        assertThat(retry.statusCode()).isEqualTo(204);
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void elsewhereOnDuplicateRespondsOrAnExceptionIsThrownUnlessNothingIsReturned() {
        Calls calls = app.bean(Calls.class);

        assertThat(calls.withOnDuplicate(key)).isEqualTo("the first");
        assertThat(calls.withOnDuplicate(key)).isEqualTo("of onDuplicate");
        assertThat(calls.without(key)).isEqualTo("the first");
        assertThatExceptionOfType(DuplicateOperationException.class).isThrownBy(() -> calls.without(key));
        calls.nothing(key);
        calls.nothing(key);
        assertThat(Calls.count.getAndSet(0)).isEqualTo(3);
    }

    private HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return app.post(path, "Idempotency-Key", key);
    }

    @RestController
    @Import(Calls.class)
    static class Handlers {

        @PostMapping("/kept")
        @IdempotentIncrement(scope = "kept", onDuplicate = "again")
        String kept() {
            return "the first";
        }

        @PostMapping("/too-long")
        @IdempotentIncrement(scope = "too-long", onDuplicate = "again")
        String tooLong() {
            return LONG;
        }

        String again() {
            return "of onDuplicate";
        }

        @PostMapping("/without")
        @IdempotentIncrement(scope = "without")
        String without() {
            return LONG;
        }
    }

    @Service
    static class Calls {

        static final AtomicInteger count = new AtomicInteger();

        @IdempotentIncrement(
                scope = "calls-with",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "again")
        String withOnDuplicate(String key) {
            count.incrementAndGet();
            return "the first";
        }

        String again(String key) {
            return "of onDuplicate";
        }

        @IdempotentIncrement(scope = "calls-without", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        String without(String key) {
            count.incrementAndGet();
            return "the first";
        }

        @IdempotentIncrement(scope = "calls-nothing", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        void nothing(String key) {
            count.incrementAndGet();
        }
    }
}
