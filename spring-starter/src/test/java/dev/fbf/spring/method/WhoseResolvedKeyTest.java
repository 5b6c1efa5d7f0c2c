package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.KeyResolver;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Two users send the same key, which a resolver finds: neither gets the other's response. */
@GuardedApp(
        beans = {
            WhoseResolvedKeyTest.Shop.class,
            WhoseResolvedKeyTest.Orders.class,
            WhoseResolvedKeyTest.Keys.class,
            WhoseKeyTest.Logins.class
        })
class WhoseResolvedKeyTest extends HttpAppTest {

    @ParameterizedTest
    @ValueSource(strings = {"/text", "/argument", "/service", "/service/parts"})
    void isNotAnothers(String path) throws Exception {
        for (String user : List.of("ada", "bob")) {
            assertThat(answer(post(path, "X-User", user))).as("first").isEqualTo("200: " + user + " 1");
        }
        for (String user : List.of("ada", "bob")) {
            assertThat(answer(post(path, "X-User", user)))
                    .as("retry")
                    .isIn("200 replayed: " + user + " 1", "204 replayed: ");
        }
    }

    @RestController
    static class Shop {

        private final Orders orders;

        Shop(Orders orders) {
            this.orders = orders;
        }

        @PostMapping("/text")
        @IdempotentIncrement(scope = "text")
        String byText(@RequestHeader("X-User") String user, @RequestHeader("Idempotency-Key") String key) {
            return WhoseKeyTest.Applied.to(user, key);
        }

        @PostMapping("/argument")
        @IdempotentIncrement(scope = "argument")
        String byArgument(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return WhoseKeyTest.Applied.to(user, key);
        }

        @PostMapping("/service")
        String byService(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.order(user, key);
        }

        @PostMapping("/service/parts")
        String byServiceWithParts(@RequestHeader("X-User") String user, IdempotencyKey key) {
            return orders.orderOfParts(user, List.of("ship", key));
        }
    }

    static class Orders {

        @IdempotentIncrement(scope = "service")
        String order(String user, IdempotencyKey key) {
            return WhoseKeyTest.Applied.to(user, key);
        }

        @IdempotentIncrement(scope = "service-parts")
        String orderOfParts(String user, List<Object> parts) {
            return WhoseKeyTest.Applied.to(user, parts);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Keys {

        /** The last argument. */
        @Bean
        KeyResolver keys() {
            return (method, arguments) -> Arrays.asList(arguments).get(arguments.length - 1);
        }
    }
}
