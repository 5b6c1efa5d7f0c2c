package dev.fbf.spring.method;

import static dev.fbf.spring.OperationOutcome.KEY_INVALID;
import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationToken;
import org.springframework.stereotype.Controller;

/** The same key of two callers names two operations. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = {CallerTest.Orders.class, CallerTest.Votes.class, CallerTest.MethodSecurity.class})
class CallerTest extends CountingAppTest {

    private static final Authentication NOBODY = new AnonymousAuthenticationToken(
            "anybody", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));

    private final Orders orders = app.bean(Orders.class);
    private final Votes votes = app.bean(Votes.class);
    private final String key = UUID.randomUUID().toString();

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
        orders.forget();
    }

    @Test
    void isWhoeverIsAuthenticated() {
        as(user("ada"), () -> orders.order(key));
        as(user("bob"), () -> orders.order(key));
        as(user("ada"), () -> orders.order(key));

        assertThat(orders.made()).isEqualTo(2);
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

    @Test
    void isNobodyInParticularIfTheAnnotationSaysSo() {
        as(user("ada"), () -> orders.orderForAll(key));
        as(user("bob"), () -> orders.orderForAll(key));

        assertThat(orders.made()).isEqualTo(1);
    }

    private static Stream<Arguments> changingNames() {
        return Stream.of(
                        new Plain(),
                        new Holder(new byte[] {1}),
                        new Holder(List.of(new Plain())),
                        Map.of("name", "ada"),
                        new Changing(),
                        new Identity(),
                        new Generated(new byte[] {1}),
                        new Generated(new String[] {"ada"}),
                        new Generated(List.of(new Plain())),
                        new NamedByItsText(new Plain()),
                        new NamedByItsText("ada"),
                        new AnonymousToString(),
                        new PreAuthenticatedAuthenticationToken(new Plain(), "none", List.of()))
                .map(Arguments::of);
    }

    /** A retry would be another user's. */
    @ParameterizedTest
    @MethodSource("changingNames")
    void isRefusedIfItsNameIsATextThatChanges(Object principal) {
        as(
                new TestingAuthenticationToken(principal, "password", "ROLE_USER"),
                () -> assertThatIllegalStateException()
                        .isThrownBy(() -> orders.order(key))
                        .withMessageContainingAll("has no stable text", "caller="));

        assertThat(orders.made()).isZero();
    }

    @Test
    void isTheTextOfItsOwnTypeIfThatIsStable() {
        for (int i = 0; i < 2; i++) {
            for (Object principal : List.of(new Generated("ada"), new Generated("bob"), "dev.Ada@cafe")) {
                as(new TestingAuthenticationToken(principal, "password", "ROLE_USER"), () -> orders.order(key));
            }
        }

        assertThat(orders.made()).isEqualTo(3);
    }

    @Test
    void isTheRecordThatTheLoginHasAsItsPrincipal() {
        List<Object> members = List.of(
                new Member("a", "b, unit=c"),
                new Member("a, unit=b", "c"),
                "Member[name=a, unit=b, unit=c]",
                new Member("a", null),
                new Member("a", "null"));
        for (int i = 0; i < 2; i++) {
            for (Object member : members) {
                as(new TestingAuthenticationToken(member, "password", "ROLE_USER"), () -> orders.order(key));
            }
        }

        assertThat(orders.made()).isEqualTo(5);
    }

    @Test
    void cannotBeMistakenForAPartOfTheKey() {
        for (List<String> pair : List.of(List.of("a", "bc"), List.of("ab", "c"), List.of("", "abc"))) {
            orders.orderFor(pair.get(0), pair.get(1));
        }

        assertThat(orders.made()).isEqualTo(3);
    }

    @Test
    void withoutTheRightGetsNoReplay() {
        logInWith("VOTE");
        assertThat(votes.vote(key)).isEqualTo("voted");
        assertThat(votes.vote(key)).isEqualTo("voted before");

        logInWith("READ");
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> votes.vote(key));
    }

    /** Always the same user, for the caller is a part of the operation. */
    private static void logInWith(String authority) {
        SecurityContextHolder.setContext(
                new SecurityContextImpl(new TestingAuthenticationToken("user", "password", List.of(() -> authority))));
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

        @IdempotentIncrement(scope = "all", key = "#key", caller = "''", onDuplicate = "orderedBefore")
        void orderForAll(String key) {
            made++;
        }
    }

    record Member(String name, @Nullable String unit) {}

    record Holder(Object content) {}

    static class Plain {}

    static class Changing {

        private final AtomicInteger number = new AtomicInteger();

        @Override
        public String toString() {
            return "session-" + number.incrementAndGet();
        }
    }

    /** Has the text that a generator writes. */
    static class Generated {

        private final Object content;

        Generated(Object content) {
            this.content = content;
        }

        @Override
        public String toString() {
            return "Generated(content=" + content + ")";
        }
    }

    static class Identity {

        @Override
        public String toString() {
            return "a user, " + super.toString();
        }
    }

    record NamedByItsText(Object content) implements Principal {

        @Override
        public String getName() {
            return content instanceof String ? new Plain().toString() : toString();
        }
    }

    static class AnonymousToString implements Principal {

        @Override
        public String getName() {
            return toString();
        }
    }

    static class Votes {

        @IdempotentIncrement(key = "#key", onDuplicate = "before")
        @PreAuthorize("hasAuthority('VOTE')")
        String vote(String key) {
            return "voted";
        }

        String before(String key) {
            return "voted before";
        }
    }

    static class MethodSecurity {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static AuthorizationManagerBeforeMethodInterceptor preAuthorize() {
            return AuthorizationManagerBeforeMethodInterceptor.preAuthorize();
        }
    }
}
