package dev.fbf.spring.method;

import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CallerResolver;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.KeyResolver;
import dev.fbf.spring.OperationOutcome;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Keys and callers by an application's own beans: of a message's header, of a request's own header, of a tenant. */
@GuardedApp(beans = ResolversTest.Beans.class)
class ResolversTest extends HttpAppTest {

    private static final AtomicInteger MADE = new AtomicInteger();

    private Listener listener;
    private int before;

    @BeforeEach
    void find() {
        listener = app.bean(Listener.class);
        before = MADE.get();
    }

    private int made() {
        return MADE.get() - before;
    }

    /** As a broker delivers it. */
    record Message(String payload, @Nullable Object eventId) {}

    private static Message message(@Nullable Object eventId) {
        return new Message("an order", eventId);
    }

    @Test
    void aMessageIsKnownAgainByItsHeader() {
        listener.on(message(key));
        listener.on(message(key));
        listener.on(message(key + "-2"));

        assertThat(made()).isEqualTo(2);
    }

    @Test
    void aRequestIsKnownAgainByTheHeaderThatTheResolverReads() throws Exception {
        assertThat(app.post("/orders", "X-Event-Id", key, "Idempotency-Key", "a")
                        .statusCode())
                .isEqualTo(200);
        assertThat(app.post("/orders", "X-Event-Id", key, "Idempotency-Key", "b")
                        .headers()
                        .firstValue("Idempotent-Replayed"))
                .hasValue("true");

        assertThat(made()).isEqualTo(1);
    }

    @Test
    void theSameKeyOfTwoTenantsNamesTwoOperations() throws Exception {
        for (String tenant : List.of("acme", "emca", "acme")) {
            app.post("/orders", "X-Event-Id", key, "X-Tenant", tenant);
        }
        app.post("/orders", "X-Event-Id", key);

        assertThat(made()).isEqualTo(3);
    }

    @Test
    void aHandlerThatTakesTheKeyOfItsRequestHasTheTenantAsItsCaller() throws Exception {
        for (String tenant : List.of("acme", "emca", "acme")) {
            assertThat(app.post("/taken", "Idempotency-Key", key, "X-Tenant", tenant)
                            .statusCode())
                    .isEqualTo(200);
        }

        assertThat(made()).isEqualTo(2);
    }

    @Test
    void aUserForWhomTheResolverNamesNoTenantIsRefused(CapturedOutput output) throws Exception {
        for (String path : List.of("/orders", "/taken")) {
            String[] user = {"X-Event-Id", key, "Idempotency-Key", key, "X-User", "ada"};
            HttpResponse<String> refused = app.post(path, user);
            assertThat(refused.statusCode()).as(path).isEqualTo(400);
            assertThat(HttpApp.json(refused).path("detail").asString()).contains("does not name the caller");
        }

        assertThat(made()).isZero();
        assertThat(output).containsOnlyOnce("of the CallerResolver, is null, although a user is authenticated");
    }

    @Test
    void theAnnotationsOwnExpressionsComeFirst() throws Exception {
        listener.named(key, "acme");
        listener.named(key, "acme");
        listener.named(key, "emca");

        assertThat(made()).isEqualTo(2);
    }

    @Test
    void aCallWithoutAKeyIsRefusedUnlessItNeedsNone() throws IOException, InterruptedException {
        assertThat(app.post("/orders", "Idempotency-Key", key).statusCode()).isEqualTo(400);
        assertKeyRefused(OperationOutcome.KEY_INVALID, () -> listener.on(message(Optional.empty())))
                .withMessage("scope=messages: The idempotency key, of the KeyResolver, is null.");
        assertThat(made()).isZero();

        listener.count(message(null));
        listener.count(message(null));
        assertThat(made()).isEqualTo(2);
    }

    @Test
    void aKeyFollowsTheRulesOfExpressions() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> listener.on(message(" ")))
                .withMessageContaining("of the KeyResolver, is blank");
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> listener.on(message("\uD800")))
                .withMessageContaining("an unpaired surrogate");
        assertThatIllegalStateException()
                .isThrownBy(() -> listener.on(message(new byte[] {1})))
                .withMessageContaining("key=of the KeyResolver: a byte[] has no stable text");
        assertThat(made()).isZero();
    }

    @Test
    void anotherThreadNeedsNoRequestForIt() {
        assertThat(app.bean(GuardedMethods.class).register(Later.class)).isTrue();
    }

    @Test
    void twoResolversStopTheStart(@TempDir Path directory) {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> HttpApp.start(
                        dataSource, directory, List.of(Beans.class, Another.class), HttpApp.SILENT_FAILURES))
                .withRootCauseInstanceOf(NoUniqueBeanDefinitionException.class)
                .withStackTraceContaining("KeyResolver");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Orders.class, Listener.class})
    static class Beans {

        @Bean
        KeyResolver eventIds() {
            return (method, arguments) -> Arrays.stream(arguments)
                    .filter(Message.class::isInstance)
                    .map(message -> ((Message) message).eventId())
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElseGet(() -> header("X-Event-Id"));
        }

        @Bean
        Filter users() {
            return (request, response, chain) -> {
                Object user = ((HttpServletRequest) request).getHeader("X-User");
                if (user != null) {
                    SecurityContextHolder.getContext()
                            .setAuthentication(new TestingAuthenticationToken(user, "password", "ROLE_USER"));
                }
                try {
                    chain.doFilter(request, response);
                } finally {
                    SecurityContextHolder.clearContext();
                }
            };
        }

        @Bean
        CallerResolver tenants() {
            return (method, arguments) -> header("X-Tenant");
        }

        private static @Nullable Object header(String name) {
            return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current
                    ? current.getRequest().getHeader(name)
                    : null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Another {

        @Bean
        KeyResolver another() {
            return (method, arguments) -> "always the same";
        }
    }

    static class Later {

        @Async
        @IdempotentIncrement
        public void count(Message message) {}
    }

    @RestController
    static class Orders {

        private final IdempotentScope taken;

        Orders(IdempotentOperations operations) {
            taken = operations.scope("taken");
        }

        @PostMapping("/taken")
        public String take(IdempotencyKey key) {
            taken.execute(key, MADE::incrementAndGet);
            return "taken";
        }

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "requested")
        public String order() {
            return "order " + MADE.incrementAndGet();
        }
    }

    @Service
    static class Listener {

        @IdempotentIncrement(scope = "messages")
        public void on(Message message) {
            MADE.incrementAndGet();
        }

        @IdempotentIncrement(scope = "counted", keyRequired = false)
        public void count(Message message) {
            MADE.incrementAndGet();
        }

        @IdempotentIncrement(scope = "named", key = "#key", caller = "#tenant")
        public void named(String key, String tenant) {
            MADE.incrementAndGet();
        }
    }
}
