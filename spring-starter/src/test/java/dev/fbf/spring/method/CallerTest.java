package dev.fbf.spring.method;

import static dev.fbf.spring.OperationOutcome.KEY_INVALID;
import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationToken;
import org.springframework.stereotype.Controller;

/** The same key of two callers names two operations. */
@GuardedApp(modes = Mode.FILTER, beans = CallerTest.Orders.class)
class CallerTest extends CountingAppTest {

    private static final Authentication NOBODY = new AnonymousAuthenticationToken(
            "anybody", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));

    private final Orders orders = app.bean(Orders.class);
    private final String key = UUID.randomUUID().toString();

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
        orders.forget();
    }

    @Test
    void isNobodyInParticularWhereNobodyIsAuthenticated() {
        orders.order(key);
        as(NOBODY, () -> orders.order(key));
        as(unauthenticated("ada"), () -> orders.order(key));

        assertThat(orders.made()).isEqualTo(1);
    }

    @Test
    void isWhatTheExpressionSaysInstead() {
        as(user("ada"), () -> orders.orderFor("acme", key));
        as(user("bob"), () -> orders.orderFor("acme", key));
        orders.orderFor("emca", key);

        assertThat(orders.made()).isEqualTo(2);
    }

    @Test
    void isNobodyInParticularIfTheExpressionIsNullAndNobodyIsAuthenticated() {
        orders.orderFor(null, key);
        as(NOBODY, () -> orders.orderFor(null, key));

        assertThat(orders.made()).isEqualTo(1);
    }

    /** Two users without a tenant would share their keys. */
    @Test
    void isRefusedIfTheExpressionIsNullAndAUserIsAuthenticated() {
        as(
                user("ada"),
                () -> assertKeyRefused(KEY_INVALID, () -> orders.orderFor(null, key))
                        .withMessageContainingAll("scope=tenants: The caller, #tenant, is null", "caller = \"''\"")
                        .satisfies(refused -> assertThat(refused.detail()).doesNotContain("#")));

        assertThat(orders.made()).isZero();
    }

    private static Stream<Object> textsThatMayChange() {
        return Stream.of(
                new Plain(),
                new Member("ada", "unit"),
                Map.of("name", "ada"),
                List.of("ada"),
                new PreAuthenticatedAuthenticationToken(new Plain(), "none", List.of()));
    }

    /** A retry would be another user's. */
    @ParameterizedTest
    @MethodSource("textsThatMayChange")
    void isRefusedIfItsNameIsATextThatMayChange(Object principal) {
        as(
                new TestingAuthenticationToken(principal, "password", "ROLE_USER"),
                () -> assertThatIllegalStateException()
                        .isThrownBy(() -> orders.order(key))
                        .withMessageContainingAll("has no text that is known to be stable", "caller="));

        assertThat(orders.made()).isZero();
    }

    @Test
    void isTheSimpleValueOrTheNameOfThePrincipal() {
        Principal named = () -> "ada";
        for (int i = 0; i < 2; i++) {
            for (Object principal : List.of(named, 42L, "dev.Ada@cafe")) {
                as(new TestingAuthenticationToken(principal, "password", "ROLE_USER"), () -> orders.order(key));
            }
        }

        assertThat(orders.made()).isEqualTo(3);
    }

    @Test
    void cannotBeMistakenForAPartOfTheKey() {
        for (List<String> pair : List.of(List.of("a", "bc"), List.of("ab", "c"), List.of("", "abc"))) {
            orders.orderFor(pair.get(0), pair.get(1));
        }

        assertThat(orders.made()).isEqualTo(3);
    }

    private static Authentication unauthenticated(String name) {
        Authentication authentication = new TestingAuthenticationToken(name, "password");
        authentication.setAuthenticated(false);
        return authentication;
    }

    private static Authentication user(String name) {
        return new TestingAuthenticationToken(name, "password", "ROLE_USER");
    }

    private static void as(Authentication authentication, Runnable call) {
        SecurityContextHolder.getContext().setAuthentication(authentication);
        try {
            call.run();
        } finally {
            SecurityContextHolder.clearContext();
        }
    }

    @Controller
    static class Orders {

        private int made;

        int made() {
            return made;
        }

        void forget() {
            made = 0;
        }

        @IdempotentIncrement(scope = "orders", key = "#key", onDuplicate = "orderedBefore")
        void order(String key) {
            made++;
        }

        void orderedBefore(String key) {}

        @IdempotentIncrement(scope = "tenants", key = "#key", caller = "#tenant", onDuplicate = "orderedBefore")
        void orderFor(@Nullable String tenant, String key) {
            made++;
        }

        void orderedBefore(@Nullable String tenant, String key) {}
    }

    record Member(String name, @Nullable String unit) {}

    static class Plain {}
}
