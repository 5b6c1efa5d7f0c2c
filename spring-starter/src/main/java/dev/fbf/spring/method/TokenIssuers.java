package dev.fbf.spring.method;

import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.util.ClassUtils;

/** Issuers of names that are unique only within their issuer, such as the subjects of tokens. */
final class TokenIssuers {

    private static final String ISSUER = "iss";

    private static final boolean HAS_LOGINS = ClassUtils.isPresent(
            "org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken",
            TokenIssuers.class.getClassLoader());

    private TokenIssuers() {}

    /**
     * Returns the issuer of a principal's name: the claim {@code iss} of a JWT, an introspected token or an OpenID Connect token; for another
     * login at an OAuth 2.0 provider, which identifies users by its own numbers, the client registration.
     *
     * @param principal an authentication, or its principal
     * @return the issuer; empty if the name comes from a token without an issuer; null if the application issued the name
     */
    static @Nullable String of(Object principal) {
        Stream<?> parts = principal instanceof Authentication authentication
                ? Stream.of(authentication.getPrincipal(), authentication.getCredentials())
                : Stream.of(principal);
        String registration = HAS_LOGINS && principal instanceof OAuth2AuthenticationToken login
                ? "registration:" + login.getAuthorizedClientRegistrationId()
                : null;
        return parts.map(TokenIssuers::claimsOf)
                .filter(Objects::nonNull)
                .map(claims -> Objects.toString(claims.get(ISSUER), ""))
                .filter(issuer -> registration == null || !issuer.isEmpty())
                .findFirst()
                .orElse(registration);
    }

    private static @Nullable Map<String, Object> claimsOf(@Nullable Object part) {
        if (part instanceof ClaimAccessor token) {
            return token.getClaims();
        }
        return part instanceof OAuth2AuthenticatedPrincipal principal ? principal.getAttributes() : null;
    }
}
