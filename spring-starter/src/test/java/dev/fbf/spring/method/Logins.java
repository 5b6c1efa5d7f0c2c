package dev.fbf.spring.method;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

/** Logs in the user that the header X-User names. */
@Configuration(proxyBeanMethods = false)
class Logins {

    @Bean
    Filter loginOfTheHeader() {
        return (request, response, chain) -> {
            String user = ((HttpServletRequest) request).getHeader("X-User");
            if (user != null) {
                SecurityContextHolder.getContext()
                        .setAuthentication(new TestingAuthenticationToken(user, "password", "ROLE_USER"));
            }
            try {
                chain.doFilter(request, response);
            } finally {
                SecurityContextHolder.clearContext();
            }
        };
    }
}
