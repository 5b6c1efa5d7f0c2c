package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.authorization.method.AuthorizeReturnObject;
import org.springframework.security.authorization.method.HandleAuthorizationDenied;
import org.springframework.security.authorization.method.MethodAuthorizationDeniedHandler;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.annotation.JsonSerialize;

/** Security that decides on a method's result: the first response, which an administrator got, is not for others. */
@GuardedApp(beans = SecuredResultTest.App.class)
class SecuredResultTest extends HttpAppTest {

    private final InMemoryUserDetailsManager users = app.bean(InMemoryUserDetailsManager.class);

    @BeforeEach
    void makeAdaAnAdministratorAgain() {
        users.updateUser(user("ada", "ADMIN"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/method", "/masked"})
    void isShownToARetryOnlyIfItsUserMaySeeIt(String path) throws Exception {
        HttpResponse<String> first = postAs("ada", path);
        assertThat(answer(first)).startsWith("200: ").contains("secret");

        assertThat(postAs("bob", path).body()).doesNotContain("secret");
        users.updateUser(user("ada", "CLERK"));
        assertThat(postAs("ada", path).body()).doesNotContain("secret");

        users.updateUser(user("ada", "ADMIN"));
        assertThat(answer(postAs("ada", path))).startsWith("200 replayed: ").contains("secret, as before");
        assertThat(app.bean(Calls.class).of(key)).isEqualTo(1);
    }

    private HttpResponse<String> postAs(String user, String path) throws Exception {
        String login = Base64.getEncoder().encodeToString((user + ":password").getBytes(UTF_8));
        return post(path + "?key=" + key, "Authorization", "Basic " + login);
    }

    private static UserDetails user(String name, String role) {
        return User.withUsername(name).password("{noop}password").roles(role).build();
    }

    /** The keys whose methods were called. */
    static class Calls {

        private final List<String> keys = new ArrayList<>();

        synchronized String secret(String key) {
            keys.add(key);
            return "secret";
        }

        synchronized long of(String key) {
            return keys.stream().filter(key::equals).count();
        }
    }

    @RestController
    static class OnMethods {

        private final Calls calls;

        OnMethods(Calls calls) {
            this.calls = calls;
        }

        @PostMapping("/method")
        @PostAuthorize("hasRole('ADMIN')")
        @IdempotentIncrement(scope = "method", caller = "''", onDuplicate = "before")
        String onMethod(String key) {
            return calls.secret(key);
        }

        String before(String key) {
            return "secret, as before";
        }

        @PostMapping("/masked")
        @AuthorizeReturnObject
        @IdempotentIncrement(scope = "masked", caller = "''", onDuplicate = "accountBefore")
        Account masked(String key) {
            return new Account(calls.secret(key));
        }

        Account accountBefore(String key) {
            return new Account("secret, as before");
        }
    }

    @JsonSerialize(as = Account.class) // not the proxy, which has more properties
    static class Account {

        private final String content;

        Account(String content) {
            this.content = content;
        }

        @PreAuthorize("hasRole('ADMIN')")
        @HandleAuthorizationDenied(handlerClass = Masked.class)
        public String getContent() {
            return content;
        }
    }

    static class Masked implements MethodAuthorizationDeniedHandler {

        @Override
        public Object handleDeniedInvocation(MethodInvocation call, AuthorizationResult denied) {
            return "***";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @EnableMethodSecurity(proxyTargetClass = true)
    @Import({Calls.class, OnMethods.class, Masked.class})
    static class App {

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(user("ada", "ADMIN"), user("bob", "CLERK"));
        }

        @Bean
        SecurityFilterChain basic(HttpSecurity http) {
            return http.authorizeHttpRequests(rules -> rules.anyRequest().authenticated())
                    .csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }
}
