package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;

/** Keys and callers that expressions name: equal values name one operation, and what has no value is refused. */
@GuardedApp(modes = Mode.FILTER, beans = KeyValuesTest.Orders.class)
class KeyValuesTest extends CountingAppTest {

    private static final UUID NUMBER = UUID.randomUUID();

    private final Orders orders = app.bean(Orders.class);

    private static List<List<Object>> equalValues() {
        return List.of(
                List.of("a", CharBuffer.wrap("a")),
                List.of(1, 1L),
                List.of(NUMBER, UUID.fromString(NUMBER.toString())),
                List.of(Mode.LEDGER, Mode.LEDGER),
                List.of(IdempotencyKey.of("dev.Ada@cafe"), "dev.Ada@cafe"),
                List.of(List.of("c", 1), List.of("c", 1L)),
                List.of(
                        List.of(login("ada", "address 1"), 1),
                        List.of(login("ada", "address 2"), 1),
                        List.of("ada", 1)),
                List.of(Optional.of("d"), "d"));
    }

    @ParameterizedTest
    @MethodSource("equalValues")
    void equalValuesAreOneOperation(List<Object> equal) {
        int before = orders.made();
        String caller = UUID.randomUUID().toString();
        equal.forEach(key -> orders.order(key, caller));
        equal.forEach(each -> orders.order(caller, each));

        assertThat(orders.made() - before).isEqualTo(2);
    }

    private static List<List<Object>> distinctValues() {
        return List.of(
                List.of(List.of("a, b", "c"), List.of("a", "b, c"), List.of("a", "b", "c"), "[a, b, c]"),
                List.of(List.of("a", "null"), List.of("a", ""), List.of("a")),
                List.of(List.of(List.of("a"), "b"), List.of(List.of("a", "b")), List.of("a", "b"), List.of("[a]", "b")),
                List.of(List.of(), "[]", List.of(""), List.of(List.of())),
                List.of(
                        List.of("a"),
                        text(List.of("a")),
                        text(text(List.of("a"))),
                        login(text(List.of("a")), "address")));
    }

    /** A text that a client could send. */
    private static String text(Object value) {
        return KeyValue.textOf(value, "key", Object::toString);
    }

    /** What a value writes between its parts may be within a part too. */
    @ParameterizedTest
    @MethodSource("distinctValues")
    void distinctValuesAreSeveralOperations(List<Object> distinct) {
        int before = orders.made();
        String caller = UUID.randomUUID().toString();
        for (int i = 0; i < 2; i++) {
            distinct.forEach(key -> orders.order(key, caller));
            distinct.forEach(each -> orders.order(caller, each));
        }

        assertThat(orders.made() - before).isEqualTo(2 * distinct.size());
    }

    private static Stream<Object> valuesWithoutAStableText() {
        return Stream.of(
                new byte[] {1},
                Map.of("a", 1),
                new HashSet<>(Set.of("a")),
                new Plain(),
                new Line(1, "b"),
                List.of(new Plain()),
                Optional.of(new Plain()));
    }

    @ParameterizedTest
    @MethodSource("valuesWithoutAStableText")
    void whatHasNoStableTextIsRefused(Object value) {
        int before = orders.made();
        assertThatIllegalStateException()
                .isThrownBy(() -> orders.order(value, "caller"))
                .withMessageContainingAll("key=#key", "has no text that is known to be stable", "#order.id");
        assertThatIllegalStateException()
                .isThrownBy(() -> orders.order("key", value))
                .withMessageContaining("caller=#caller");
        assertThatIllegalStateException()
                .isThrownBy(() -> orders.orderLine(new Plain(), 1))
                .withMessageContaining("key={'x', #key, #line}");

        assertThat(orders.made() - before).isZero();
    }

    /** An authentication's own text has its authorities and details, which a retry may not have. */
    @Test
    void aPrincipalCountsByItsName() {
        int before = orders.made();
        UserDetails ada =
                User.withUsername("ada").password("a").authorities("x").build();
        UserDetails adaToo =
                User.withUsername("ada").password("b").authorities("y").build();
        List<Object> sameUser = List.of(login("ada", "address 1"), login("ada", "address 2"), ada, adaToo, "ada");
        sameUser.forEach(each -> orders.order("principal", each));
        orders.order("principal", login("bob", "address 1"));

        assertThat(orders.made() - before).isEqualTo(2);
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> orders.order("principal", login("", "address 1")))
                .withMessageContaining("caller =");
    }

    /** All calls without a value would be one operation, or their callers one caller. */
    @Test
    void aPartWithoutAValueIsRefused() {
        int before = orders.made();
        for (Object missing : Arrays.asList(null, Optional.empty())) {
            assertThatExceptionOfType(IdempotencyKeyException.class)
                    .isThrownBy(() -> orders.orderLine(missing, 1))
                    .withMessageContainingAll("key={'x', #key, #line}", "a part is null", "#line ?: 0")
                    .satisfies(refused -> assertThat(refused.detail()).doesNotContain("#"));
            assertThatExceptionOfType(IdempotencyKeyException.class)
                    .isThrownBy(() -> orders.orderAs("key", missing))
                    .withMessageContainingAll("caller=", "a part is null");
        }
        assertThat(orders.made() - before).isZero();
    }

    @Test
    void partsWithValuesNameAnOperation() {
        int before = orders.made();
        for (int i = 0; i < 2; i++) {
            orders.orderLine("a", 1);
            orders.orderLine("a", 2);
            orders.orderAs("key", "a");
            orders.orderAs("key", "b");
        }
        assertThat(orders.made() - before).isEqualTo(4);
    }

    @Test
    void anExpressionMaySayWhatAMissingPartMeans() {
        int before = orders.made();
        for (int i = 0; i < 2; i++) {
            orders.orderIfNamed(null);
            orders.orderIfNamed("a");
        }
        assertThat(orders.made() - before).isEqualTo(3);
    }

    @Test
    void aBlankOrMissingKeyIsRefused() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> orders.order(Optional.empty(), "caller"))
                .withMessage("scope=values: The idempotency key, #key, is null.");
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> orders.order(" ", "caller"))
                .withMessage("scope=values: The idempotency key, #key, is blank.");
    }

    /** In UTF-8 it would be a question mark, and name another operation. */
    @Test
    void aKeyOrCallerWithHalfOfASurrogatePairIsRefused() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> orders.order("\uD800", "caller"))
                .withMessage("scope=values: The idempotency key, #key, has an unpaired surrogate.");
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> orders.order("key", "\uD800"))
                .withMessage("scope=values: The caller, #caller, has an unpaired surrogate.");
    }

    @Test
    void withoutAnExpressionAndWithoutARequestTheCallerIsToldWhatToDo() {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.countByHeader())
                .withMessageContaining("Name the key with key = \"#…\".");
    }

    @Test
    void aCallWithoutAKeyKeepsItsTransactionOrItsCallers() {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.countWithoutKey(null, () -> {
                    throw new IllegalStateException("mine");
                }));
        app.transaction.executeWithoutResult(transaction -> {
            counter.countWithoutKey(null, () -> {});
            transaction.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
    }

    private static Authentication login(String name, String details) {
        TestingAuthenticationToken login = new TestingAuthenticationToken(name, "password", details);
        login.setDetails(details);
        return login;
    }

    static class Orders {

        private int made;

        int made() {
            return made;
        }

        @IdempotentIncrement(scope = "values", key = "#key", caller = "#caller", onDuplicate = "orderedBefore")
        void order(Object key, Object caller) {
            made++;
        }

        void orderedBefore(Object key, Object caller) {}

        @IdempotentIncrement(
                scope = "lines",
                key = "{'x', #key, #line}",
                caller = CallerOfTheTest.EXPRESSION,
                keyRequired = false)
        void orderLine(@Nullable Object key, int line) {
            made++;
        }

        @IdempotentIncrement(scope = "lines-of-callers", key = "#key", caller = "#caller == 'b' ? 'b' : {'t', #caller}")
        void orderAs(Object key, @Nullable Object caller) {
            made++;
        }

        @IdempotentIncrement(
                scope = "values-if-named",
                key = "#key == null ? null : {'x', #key}",
                caller = CallerOfTheTest.EXPRESSION,
                keyRequired = false)
        void orderIfNamed(@Nullable Object key) {
            made++;
        }
    }

    record Line(int order, String text) {}

    static class Plain {}
}
