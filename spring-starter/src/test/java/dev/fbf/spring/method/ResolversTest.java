package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CallerResolver;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Mode;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Callers by an application's own bean: the tenant of a request. */
@GuardedApp(modes = Mode.LEDGER, beans = ResolversTest.Orders.class)
class ResolversTest extends HttpAppTest {

    private static final AtomicInteger MADE = new AtomicInteger();

    private final int before = MADE.get();

    private int made() {
        return MADE.get() - before;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/orders", "/taken"})
    void theSameKeyOfTwoTenantsNamesTwoOperations(String path) throws Exception {
        for (String tenant : List.of("acme", "emca", "acme")) {
            assertThat(post(path, "X-Tenant", tenant).statusCode()).isEqualTo(200);
        }
        post(path);

        assertThat(made()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/orders", "/taken"})
    void aUserForWhomTheResolverNamesNoTenantIsRefused(String path) throws Exception {
        HttpResponse<String> refused = post(path, "X-User", "ada");

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(HttpApp.json(refused).path("detail").asString()).contains("does not name the caller");
        assertThat(made()).isZero();
    }

    /** An expression of the annotation comes first. */
    @ParameterizedTest
    @ValueSource(strings = {"acme", "emca"})
    void aMethodThatNamesItsCallerHasThat(String tenant) throws Exception {
        post("/named", "X-Tenant", tenant);
        post("/named", "X-Tenant", "another");

        assertThat(made()).isEqualTo(1);
    }

    @RestController
    @Import(Logins.class)
    static class Orders {

        private final IdempotentScope taken;

        Orders(IdempotentOperations operations) {
            taken = operations.scope("taken");
        }

        @Bean
        static CallerResolver tenants() {
            return (method, arguments) ->
                    RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current
                            ? current.getRequest().getHeader("X-Tenant")
                            : null;
        }

        @PostMapping("/taken")
        String take(IdempotencyKey key) {
            taken.execute(key, MADE::incrementAndGet);
            return "taken";
        }

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "requested")
        String order() {
            return "order " + MADE.incrementAndGet();
        }

        @PostMapping("/named")
        @IdempotentIncrement(scope = "named", caller = "'all'")
        String orderOfAll() {
            return "order " + MADE.incrementAndGet();
        }
    }
}
