package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.SqlCounters;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Two users of two tenants send the same key, by each way to name a key and a caller: neither gets the other's response. */
@GuardedApp(beans = {WhoseKeyTest.Shop.class, WhoseKeyTest.Orders.class, WhoseKeyTest.Logins.class})
class WhoseKeyTest extends HttpAppTest {

    /** With separators that a list, and a record, write between their parts. */
    private static final List<Person> BOTH = List.of(new Person("ada", "a|b", "c"), new Person("bob", "a", "b|c"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/header",
                "/expression",
                "/tenant",
                "/list",
                "/record",
                "/record-of-login",
                "/key-of-parts",
                "/argument",
                "/argument-annotated",
                "/argument-of-counters",
                "/service/key",
                "/service/optional",
                "/service/concatenation",
                "/service/parts",
                "/service/record",
                "/service/part-of-record",
                "/service/text",
                "/service/tenant",
                "/service/id-of-tenant",
                "/service/id-of-list",
                "/service/id-of-record",
                "/service/id-of-login"
            })
    void isNotAnothers(String path) throws Exception {
        for (Person person : BOTH) {
            assertThat(answer(send(path, person))).as("first").isEqualTo("200: " + person.user + " 1");
        }
        for (Person person : BOTH) {
            assertThat(answer(send(path, person)))
                    .as("retry")
                    .isIn("200 replayed: " + person.user + " 1", "204 replayed: ");
        }
    }

    private HttpResponse<String> send(String path, Person person) throws Exception {
        return post(path, "X-User", person.user, "X-Tenant", person.tenant, "X-Unit", person.unit);
    }

    record Person(String user, String tenant, String unit) {}

    record Account(String tenant, String unit) {

        static Account of(String tenant, String unit) {
            return new Account(tenant.replace("|", ", unit="), unit.replace("|", ", unit="));
        }
    }

    record Order(IdempotencyKey key, String line) {}

    /** The number of times that a user's operation of a key was applied. */
    static final class Applied {

        private static final Map<String, AtomicInteger> NUMBERS = new ConcurrentHashMap<>();

        private Applied() {}

        static String to(String user, Object key) {
            int number = NUMBERS.computeIfAbsent(user + key, its -> new AtomicInteger())
                    .incrementAndGet();
            return user + " " + number;
        }
    }

    @RestController("shop")
    static class Shop {

        private final Orders orders;
        private final IdempotentScope scope;
        private final SqlCounters counters;

        Shop(Orders orders, IdempotentOperations operations, SqlCounters counters) {
            this.orders = orders;
            scope = operations.scope("argument");
            this.counters = counters;
        }

        /** For expressions. */
        public Account account(String tenant, String unit) {
            return Account.of(tenant, unit);
        }

        /** For expressions. */
        public String part(String text) {
            return text.replace("|", ", ");
        }

        @PostMapping({"/header", "/record-of-login"})
        @IdempotentIncrement(scope = "header")
        String byHeader(@RequestHeader("X-User") String user, @RequestHeader("Idempotency-Key") String key) {
            return Applied.to(user, key);
        }

        @PostMapping("/expression")
        @IdempotentIncrement(scope = "expression", key = "#key")
        String byExpression(@RequestHeader("X-User") String user, @RequestHeader("Idempotency-Key") String key) {
            return Applied.to(user, key);
        }

        @PostMapping("/tenant")
        @IdempotentIncrement(scope = "tenant", caller = "#tenant")
        String ofTenant(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String key,
                @RequestHeader("X-Tenant") String tenant) {
            return Applied.to(user, key);
        }

        @PostMapping("/list")
        @IdempotentIncrement(scope = "list", caller = "{@shop.part(#tenant), @shop.part(#unit)}")
        String ofList(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String key,
                @RequestHeader("X-Tenant") String tenant,
                @RequestHeader("X-Unit") String unit) {
            return Applied.to(user, key);
        }

        @PostMapping("/record")
        @IdempotentIncrement(scope = "record", caller = "@shop.account(#tenant, #unit)")
        String ofRecord(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String key,
                @RequestHeader("X-Tenant") String tenant,
                @RequestHeader("X-Unit") String unit) {
            return Applied.to(user, key);
        }

        @PostMapping("/key-of-parts")
        @IdempotentIncrement(
                scope = "key-of-parts",
                key = "{#key, @shop.part(#tenant), @shop.part(#unit)}",
                caller = "''")
        String byKeyOfParts(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String key,
                @RequestHeader("X-Tenant") String tenant,
                @RequestHeader("X-Unit") String unit) {
            return Applied.to(user, key);
        }

        @PostMapping("/argument")
        String byArgument(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return scope.execute(key, () -> Applied.to(user, key), () -> user + " 1");
        }

        @PostMapping("/argument-annotated")
        @IdempotentIncrement(scope = "argument-annotated", key = "#key")
        String byAnnotatedArgument(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return Applied.to(user, key);
        }

        @PostMapping("/argument-of-counters")
        String byArgumentOfCounters(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return user + " " + counters.increment(key, user + key, 1);
        }

        @PostMapping("/service/key")
        String byService(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.byKey(user, key);
        }

        @PostMapping("/service/optional")
        String byServiceWithOptional(@RequestHeader("X-User") String user, Optional<IdempotencyKey> key) {
            return orders.byOptional(user, key);
        }

        @PostMapping("/service/concatenation")
        String byServiceWithConcatenation(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.byConcatenation(user, key);
        }

        @PostMapping("/service/parts")
        String byServiceWithParts(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.byParts(user, key);
        }

        @PostMapping("/service/record")
        String byServiceWithRecord(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.byRecord(user, new Order(key, "a line"));
        }

        @PostMapping("/service/part-of-record")
        String byServiceWithPartOfRecord(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.byPartOfRecord(user, new Order(key, "a line"));
        }

        @PostMapping("/service/text")
        String byServiceWithText(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.byText(user, key);
        }

        @PostMapping("/service/tenant")
        String byServiceOfTenant(
                @RequestHeader("X-User") String user, IdempotencyKey key, @RequestHeader("X-Tenant") String tenant) {
            return orders.ofTenant(user, key, tenant);
        }

        @PostMapping("/service/id-of-tenant")
        String byIdOfTenant(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String id,
                @RequestHeader("X-Tenant") String tenant) {
            return orders.idOfTenant(user, id, tenant);
        }

        @PostMapping("/service/id-of-list")
        String byIdOfList(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String id,
                @RequestHeader("X-Tenant") String tenant,
                @RequestHeader("X-Unit") String unit) {
            return orders.idOfList(user, id, part(tenant), part(unit));
        }

        @PostMapping("/service/id-of-record")
        String byIdOfRecord(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String id,
                @RequestHeader("X-Tenant") String tenant,
                @RequestHeader("X-Unit") String unit) {
            return orders.idOfRecord(user, id, account(tenant, unit));
        }

        @PostMapping("/service/id-of-login")
        String byIdOfLogin(@RequestHeader("X-User") String user, @RequestHeader("Idempotency-Key") String id) {
            return orders.idOfLogin(user, id);
        }
    }

    static class Orders {

        @IdempotentIncrement(scope = "service-key", key = "#key")
        String byKey(String user, IdempotencyKey key) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-optional", key = "#key")
        String byOptional(String user, Optional<IdempotencyKey> key) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-concatenation", key = "'ship-' + #key")
        String byConcatenation(String user, IdempotencyKey key) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-parts", key = "{'ship', #key}")
        String byParts(String user, IdempotencyKey key) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-record", key = "#order")
        String byRecord(String user, Order order) {
            return Applied.to(user, order);
        }

        @IdempotentIncrement(scope = "service-part-of-record", key = "'ship-' + #order.key")
        String byPartOfRecord(String user, Order order) {
            return Applied.to(user, order);
        }

        @IdempotentIncrement(scope = "service-text", key = "#key.value()")
        String byText(String user, IdempotencyKey key) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-tenant", key = "#key", caller = "#tenant")
        String ofTenant(String user, IdempotencyKey key, String tenant) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-id-of-tenant", key = "#id", caller = "#tenant")
        String idOfTenant(String user, String id, String tenant) {
            return Applied.to(user, id);
        }

        @IdempotentIncrement(scope = "service-id-of-list", key = "#id", caller = "{#tenant, #unit}")
        String idOfList(String user, String id, String tenant, String unit) {
            return Applied.to(user, id);
        }

        @IdempotentIncrement(scope = "service-id-of-record", key = "#id", caller = "#account")
        String idOfRecord(String user, String id, Account account) {
            return Applied.to(user, id);
        }

        @IdempotentIncrement(scope = "service-id-of-login", key = "#id", caller = "@fbfAuthenticatedCaller.name()")
        String idOfLogin(String user, String id) {
            return Applied.to(user, id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Logins {

        @Bean
        Filter logins() {
            return (request, response, chain) -> {
                HttpServletRequest its = (HttpServletRequest) request;
                Object principal = its.getRequestURI().equals("/record-of-login")
                        ? Account.of(its.getHeader("X-Tenant"), its.getHeader("X-Unit"))
                        : its.getHeader("X-User");
                SecurityContextHolder.getContext()
                        .setAuthentication(new TestingAuthenticationToken(principal, "password", "ROLE_USER"));
                try {
                    chain.doFilter(request, response);
                } finally {
                    SecurityContextHolder.clearContext();
                }
            };
        }
    }
}
