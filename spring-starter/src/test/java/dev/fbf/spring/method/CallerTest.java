package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.operation.Scopes;
import java.nio.file.Path;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Controller;

/** The same key of two callers names two operations. */
@ExtendWith(PostgresExtension.class)
class CallerTest {

    private static final Authentication NOBODY = new AnonymousAuthenticationToken(
            "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));

    @TempDir
    private Path directory;

    private CountingApp app;
    private Orders orders;

    @BeforeEach
    void start(DataSource dataSource) {
        app = CountingApp.start(directory, new String[0], context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(Orders.class);
        });
        orders = app.bean(Orders.class);
    }

    @AfterEach
    void stop() {
        SecurityContextHolder.clearContext();
        app.close();
    }

    @Test
    void isWhoeverIsAuthenticated() {
        as(user("ada"), () -> orders.order("key"));
        as(user("bob"), () -> orders.order("key"));
        as(user("ada"), () -> orders.order("key"));

        assertThat(orders.made()).isEqualTo(2);
    }

    @Test
    void whereNobodyIsAuthenticatedAKeyBelongsToNobodyInParticular() {
        GuardedMethods methods = app.bean(GuardedMethods.class);
        OperationResolver callers = new OperationResolver(
                new Expressions(new DefaultListableBeanFactory()),
                new KeyHeader("Idempotency-Key"),
                Caller.ANYBODY,
                OperationResolver.Resolvers.NONE,
                app.bean(Scopes.class));

        assertThat(methods.annotated())
                .filteredOn(method -> method.scope().equals("orders"))
                .extracting(callers::owner)
                .containsExactly("nobody in particular");
    }

    @Test
    void isNobodyInParticularWhereNobodyIsAuthenticated() {
        orders.order("key");
        as(NOBODY, () -> orders.order("key"));
        as(unauthenticated("ada"), () -> orders.order("key"));

        assertThat(orders.made()).isEqualTo(1);
    }

    @Test
    void isWhatTheExpressionSaysInstead() {
        as(user("ada"), () -> orders.orderFor("acme", "key"));
        as(user("bob"), () -> orders.orderFor("acme", "key"));
        orders.orderFor("emca", "key");

        assertThat(orders.made()).isEqualTo(2);
    }

    @Test
    void isNobodyInParticularIfTheExpressionIsNull() {
        as(user("ada"), () -> orders.orderFor(null, "key"));
        as(user("bob"), () -> orders.orderFor(null, "key"));

        assertThat(orders.made()).isEqualTo(1);
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
}
