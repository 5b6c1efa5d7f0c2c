package dev.fbf.spring.method;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Two users who send the same key, by each way of authentication that Spring Security has, through its filters. */
@Tag("slow")
@GuardedApp(
        beans = AuthenticationsTest.Shop.class,
        properties = "fbf.fingerprint.enabled=false") // what separates two callers is their names alone
class AuthenticationsTest extends HttpAppTest {

    @Test
    void separateTwoUsersAndKnowARetryOfEach() throws Exception {
        List<String[]> users = List.of(
                basic("/basic", "ada"),
                basic("/basic", "bob"),
                basic("/basic", "Ada"),
                bearer("/jwt", "a 42"),
                bearer("/jwt", "a 43"),
                bearer("/jwt", "b 42"),
                bearer("/opaque", "c 42"),
                bearer("/opaque", "c 43"),
                bearer("/opaque", "d 42"),
                new String[] {"/oidc", "X-Login", "e 42"},
                new String[] {"/oidc", "X-Login", "f 42"},
                new String[] {"/oidc", "X-Login", "google - 42"},
                new String[] {"/oidc", "X-Login", "github - 42"});

        List<String> first = send(users);
        assertThat(Stream.concat(Stream.of(post("/open").body()), first.stream()))
                .doesNotHaveDuplicates();
        // in ledger mode, the responses are kept a moment later
        await().untilAsserted(() -> assertThat(send(users)).isEqualTo(first));
    }

    @Test
    void withoutANameAreRefused() throws Exception {
        for (String[] nameless : List.of(bearer("/jwt", "a"), bearer("/opaque", "c"))) {
            HttpResponse<String> response = post(nameless);
            assertThat(response.statusCode()).as(nameless[0]).isEqualTo(400);
            assertThat(HttpApp.json(response).path("detail").asString())
                    .contains("credentials")
                    .doesNotContain("caller =");
        }
    }

    private List<String> send(List<String[]> users) throws Exception {
        List<String> bodies = new ArrayList<>();
        for (String[] user : users) {
            HttpResponse<String> response = post(user);
            assertThat(response.statusCode()).as(String.join(" ", user)).isIn(200, 204);
            bodies.add(response.body());
        }
        return bodies;
    }

    private HttpResponse<String> post(String[] pathAndHeaders) throws Exception {
        return post(pathAndHeaders[0], Arrays.copyOfRange(pathAndHeaders, 1, pathAndHeaders.length));
    }

    private static String[] basic(String path, String user) {
        return new String[] {
            path, "Authorization", "Basic " + Base64.getEncoder().encodeToString((user + ":password").getBytes(UTF_8))
        };
    }

    private static String[] bearer(String path, String token) {
        return new String[] {
            path,
            "Authorization",
            "Bearer " + Base64.getUrlEncoder().withoutPadding().encodeToString(token.getBytes(UTF_8))
        };
    }

    @RestController
    @Import(Security.class)
    static class Shop {

        private final AtomicInteger made = new AtomicInteger();

        @PostMapping({"/basic", "/jwt", "/opaque", "/oidc"})
        @IdempotentIncrement(scope = "authenticated-orders")
        String order(Authentication user) {
            return user.getClass().getSimpleName() + " " + made.incrementAndGet();
        }

        @PostMapping("/open")
        @IdempotentIncrement(scope = "authenticated-orders")
        String orderOfAnybody() {
            return "anybody " + made.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    static class Security {

        @Bean
        UserDetailsService users() {
            return name -> User.withUsername(name)
                    .password("{noop}password")
                    .authorities("user")
                    .build();
        }

        @Bean
        @Order(1)
        SecurityFilterChain basic(HttpSecurity http) {
            return loginNeeded(http, "/basic")
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        @Order(4)
        SecurityFilterChain jwt(HttpSecurity http) {
            return loginNeeded(http, "/jwt")
                    .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.decoder(token -> {
                        Jwt.Builder decoded = Jwt.withTokenValue(token).header("alg", "none");
                        decoded.claims(claims -> claims.putAll(claims(token)));
                        return decoded.build();
                    })))
                    .build();
        }

        @Bean
        @Order(5)
        SecurityFilterChain opaque(HttpSecurity http) {
            return loginNeeded(http, "/opaque")
                    .oauth2ResourceServer(server -> server.opaqueToken(opaque -> opaque.introspector(token -> {
                        Map<String, Object> claims = claims(token);
                        return new DefaultOAuth2AuthenticatedPrincipal(
                                (String) claims.get("sub"), claims, AuthorityUtils.NO_AUTHORITIES);
                    })))
                    .build();
        }

        /** What the login of an OAuth 2.0 provider leaves in the session: the login itself needs the provider. */
        @Bean
        @Order(6)
        SecurityFilterChain oidc(HttpSecurity http) {
            return loginNeeded(http, "/oidc/**")
                    .addFilterAfter(
                            (request, response, chain) -> {
                                SecurityContextHolder.getContext()
                                        .setAuthentication(loggedIn(
                                                header(request, "X-Login").split(" ", -1)));
                                chain.doFilter(request, response);
                            },
                            SecurityContextHolderFilter.class)
                    .build();
        }

        @Bean
        @Order(7)
        SecurityFilterChain open(HttpSecurity http) {
            return http.authorizeHttpRequests(rules -> rules.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        private static String header(ServletRequest request, String name) {
            return ((HttpServletRequest) request).getHeader(name);
        }

        private static HttpSecurity loginNeeded(HttpSecurity http, String... paths) {
            return http.securityMatcher(paths)
                    .authorizeHttpRequests(rules -> rules.anyRequest().authenticated())
                    .csrf(csrf -> csrf.disable());
        }

        /** An issuer, and a subject if there is one. */
        private static Map<String, Object> claims(String token) {
            String[] parts = new String(Base64.getUrlDecoder().decode(token), UTF_8).split(" ", -1);
            String issuer = "https://" + parts[0] + ".example";
            return parts.length == 1 ? Map.of("iss", issuer) : Map.of("iss", issuer, "sub", parts[1]);
        }

        private static Authentication loggedIn(String... login) {
            if (login.length == 3) {
                return new OAuth2AuthenticationToken(
                        new DefaultOAuth2User(AuthorityUtils.NO_AUTHORITIES, Map.of("id", login[2]), "id"),
                        AuthorityUtils.NO_AUTHORITIES,
                        login[0]);
            }
            Instant now = Instant.now();
            return new OAuth2AuthenticationToken(
                    new DefaultOidcUser(
                            AuthorityUtils.NO_AUTHORITIES,
                            new OidcIdToken(
                                    "token",
                                    now,
                                    now.plusSeconds(60),
                                    Map.of("iss", "https://" + login[0] + ".example", "sub", login[1]))),
                    AuthorityUtils.NO_AUTHORITIES,
                    "same");
        }
    }
}
