package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Forms with the token of Spring Security, which masks it anew whenever it shows it. */
@GuardedApp(beans = MaskedTokensTest.Orders.class, modes = Mode.LEDGER)
class MaskedTokensTest extends HttpAppTest {

    private String session = "";

    @Test
    void aRetryWithAnotherMaskIsAReplay() throws Exception {
        String one = token();
        String other = token();
        assertThat(other).isNotEqualTo(one);

        assertThat(order("pieces=1&_csrf=" + one)).isEqualTo("200: 1");
        assertThat(order("pieces=1&_csrf=" + other)).isEqualTo("200 replayed: 1");
        assertThat(order("pieces=2&_csrf=" + one)).startsWith("422");
        assertThat(order("pieces=1&_csrf=forged")).startsWith("403");
    }

    private String token() throws Exception {
        HttpResponse<String> form = app.send("GET", "/token", "none", "text/plain", new byte[0], "Cookie", session);
        form.headers().firstValue("Set-Cookie").ifPresent(cookie -> session = cookie.substring(0, cookie.indexOf(';')));
        return URLEncoder.encode(form.body(), UTF_8);
    }

    private String order(String form) throws Exception {
        return answer(app.send(
                "POST", "/orders", key, "application/x-www-form-urlencoded", form.getBytes(UTF_8), "Cookie", session));
    }

    @RestController
    @Import(Security.class)
    static class Orders {

        @GetMapping("/token")
        String token(CsrfToken token) {
            return token.getToken();
        }

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "masked")
        int order(@RequestParam int pieces) {
            return pieces;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    static class Security {

        @Bean
        SecurityFilterChain open(HttpSecurity http) {
            return http.authorizeHttpRequests(rules -> rules.anyRequest().permitAll())
                    .build();
        }
    }
}
