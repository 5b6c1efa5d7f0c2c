package dev.fbf.spring.method;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.oauth2.core.user.OAuth2User;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Two users who send the same key, by each way of authentication that Spring Security has, through its filters. */
@Tag("slow")
@GuardedApp(
        beans = AuthenticationsTest.Shop.class,
        properties = {
            // what separates two callers is their names alone
            "fbf.fingerprint.enabled=false",
            "logging.level.dev.fbf.spring.method.StartNotices=info"
        })
class AuthenticationsTest extends HttpAppTest {

    @Test
    void separateTwoUsersAndKnowARetryOfEach() throws Exception {
        List<String[]> users = List.of(
                basic("/basic", "ada"),
                basic("/basic", "bob"),
                basic("/basic", "Ada"),
                new String[] {"/certificate", "X-Certificate", "eve"},
                new String[] {"/certificate", "X-Certificate", "mallory"},
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
        // another way of authentication, the same user
        assertThat(send(List.of(cookies("ada"), rememberMe("bob")))).isEqualTo(first.subList(0, 2));
    }

    @Test
    void ofTwoProvidersAreTwoUsersForAnExpressionThatNamesThePrincipalToo() throws Exception {
        List<String[]> users = List.of(
                new String[] {"/oidc/principal", "X-Login", "google - 42"},
                new String[] {"/oidc/principal", "X-Login", "github - 42"});

        assertThat(send(users)).doesNotHaveDuplicates();
    }

    @Test
    void withoutANameAreRefused(CapturedOutput output) throws Exception {
        for (String[] nameless : List.of(bearer("/jwt", "a"), bearer("/opaque", "c"))) {
            HttpResponse<String> response = post(nameless);
            assertThat(response.statusCode()).as(nameless[0]).isEqualTo(400);
            assertThat(HttpApp.json(response).path("detail").asString())
                    .contains("credentials")
                    .doesNotContain("caller =");
        }
        assertThat(output).containsOnlyOnce("Name the caller with caller =");
    }

    @Test
    void handlersWhoseKeysBelongToTheLoginAreCountedAtStart() {
        assertThat(startLog).contains("The keys of 2 guarded handlers are per login.");
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

    /** A session that begins with the login form. */
    private static String[] cookies(String user) throws Exception {
        return login(user, "JSESSIONID");
    }

    /** A session that has ended: only the cookie to remember the user by is left. */
    private static String[] rememberMe(String user) throws Exception {
        return login(user, "remember-me");
    }

    private static String[] login(String user, String name) throws Exception {
        String form = "username=" + URLEncoder.encode(user, UTF_8) + "&password=password&remember-me=on";
        HttpResponse<String> response =
                app.send("POST", "/form/login", "none", "application/x-www-form-urlencoded", form.getBytes(UTF_8));
        String cookie = response.headers().allValues("Set-Cookie").stream()
                .map(line -> line.substring(0, line.indexOf(';')))
                .filter(kept -> kept.startsWith(name))
                .findFirst()
                .orElseThrow();
        return new String[] {"/form", "Cookie", cookie};
    }

    @RestController
    @Import(Security.class)
    static class Shop {

        private final AtomicInteger made = new AtomicInteger();

        @PostMapping({"/basic", "/form", "/certificate", "/jwt", "/opaque", "/oidc"})
        @IdempotentIncrement(scope = "authenticated-orders")
        String order(Authentication user) {
            return user.getClass().getSimpleName() + " " + made.incrementAndGet();
        }

        @PostMapping("/oidc/principal")
        @IdempotentIncrement(scope = "orders-of-principals", caller = "#user")
        String orderOfPrincipal(@AuthenticationPrincipal OAuth2User user) {
            return user.getName() + " " + made.incrementAndGet();
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
        @Order(2)
        SecurityFilterChain form(HttpSecurity http) {
            return loginNeeded(http, "/form", "/form/login")
                    .formLogin(form -> form.loginProcessingUrl("/form/login"))
                    .rememberMe(remember -> remember.key("key"))
                    .build();
        }

        /** The certificate of a connection, as the server makes it known. */
        @Bean
        @Order(3)
        SecurityFilterChain certificate(HttpSecurity http, UserDetailsService users) {
            return loginNeeded(http, "/certificate")
                    .addFilterBefore(
                            (request, response, chain) -> {
                                X509Certificate certificate = mock(X509Certificate.class);
                                when(certificate.getSubjectX500Principal())
                                        .thenReturn(new X500Principal("CN=" + header(request, "X-Certificate")));
                                request.setAttribute(
                                        "jakarta.servlet.request.X509Certificate", new X509Certificate[] {certificate});
                                chain.doFilter(request, response);
                            },
                            SecurityContextHolderFilter.class)
                    .x509(x509 -> x509.userDetailsService(users))
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
