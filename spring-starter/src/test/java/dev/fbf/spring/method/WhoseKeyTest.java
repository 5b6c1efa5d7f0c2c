package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.SqlCounters;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Two users of two tenants send the same key, by each way to name a key and a caller: neither gets the other's response. */
@GuardedApp(beans = {WhoseKeyTest.Shop.class, WhoseKeyTest.Orders.class, Logins.class})
class WhoseKeyTest extends HttpAppTest {

    /** With separators that a list could write between its parts. */
    private static final List<Person> BOTH = List.of(new Person("ada", "a, b", "c"), new Person("bob", "a", "b, c"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/header",
                "/expression",
                "/tenant",
                "/list",
                "/key-of-parts",
                "/argument",
                "/argument-annotated",
                "/argument-of-counters",
                "/service/key",
                "/service/optional",
                "/service/concatenation",
                "/service/parts",
                "/service/part-of-record",
                "/service/text",
                "/service/tenant",
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

    record Order(IdempotencyKey key) {}

    /** The number of times that a user's operation of a key was applied. */
    private static final class Applied {

        private static final Map<String, AtomicInteger> NUMBERS = new ConcurrentHashMap<>();

        static String to(String user, Object key) {
            return user + " "
                    + NUMBERS.computeIfAbsent(user + key, its -> new AtomicInteger())
                            .incrementAndGet();
        }
    }

    @RestController
    static class Shop {

        private final Orders orders;
        private final IdempotentScope scope;
        private final SqlCounters counters;

        Shop(Orders orders, IdempotentOperations operations, SqlCounters counters) {
            this.orders = orders;
            scope = operations.scope("argument");
            this.counters = counters;
        }

        @PostMapping("/header")
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
        @IdempotentIncrement(scope = "list", caller = "{#tenant, #unit}")
        String ofList(
                @RequestHeader("X-User") String user,
                @RequestHeader("Idempotency-Key") String key,
                @RequestHeader("X-Tenant") String tenant,
                @RequestHeader("X-Unit") String unit) {
            return Applied.to(user, key);
        }

        @PostMapping("/key-of-parts")
        @IdempotentIncrement(scope = "key-of-parts", key = "{#key, #tenant, #unit}", caller = "''")
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

        @PostMapping("/service/{way}")
        String byService(
                @PathVariable String way,
                @RequestHeader("X-User") String user,
                IdempotencyKey key,
                @RequestHeader("X-Tenant") String tenant) {
            return switch (way) {
                case "key" -> orders.byKey(user, key);
                case "optional" -> orders.byOptional(user, Optional.of(key));
                case "concatenation" -> orders.byConcatenation(user, key);
                case "parts" -> orders.byParts(user, key);
                case "part-of-record" -> orders.byPartOfRecord(user, new Order(key));
                case "text" -> orders.byText(user, key);
                case "tenant" -> orders.ofTenant(user, key, tenant);
                default -> orders.idOfLogin(user, key.value());
            };
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

        @IdempotentIncrement(scope = "service-concatenation", key = "{'ship', #key}")
        String byConcatenation(String user, IdempotencyKey key) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-parts", key = "{'ship', #key}")
        String byParts(String user, IdempotencyKey key) {
            return Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-part-of-record", key = "{'ship', #order.key}")
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

        @IdempotentIncrement(scope = "service-id-of-login", key = "#id", caller = "@fbfAuthenticatedCaller.name()")
        String idOfLogin(String user, String id) {
            return Applied.to(user, id);
        }
    }
}
