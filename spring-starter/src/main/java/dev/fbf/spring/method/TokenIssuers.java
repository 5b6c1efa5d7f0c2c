package dev.fbf.spring.method;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;

/** Issuers of JWTs, introspected tokens and OpenID Connect tokens, by their claim {@code iss}. */
final class TokenIssuers implements Issuers {

    private static final String ISSUER = "iss";

    @Override
    public @Nullable String of(Object principal) {
        Stream<?> parts = principal instanceof Authentication authentication
                ? Stream.of(authentication.getPrincipal(), authentication.getCredentials())
                : Stream.of(principal);
        return parts.map(TokenIssuers::ofPart)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String ofPart(@Nullable Object part) {
        if (part instanceof ClaimAccessor token) {
            return text(token.getClaims().get(ISSUER));
        }
        return part instanceof OAuth2AuthenticatedPrincipal principal
                ? text(principal.getAttributes().get(ISSUER))
                : null;
    }

    private static String text(@Nullable Object issuer) {
        return issuer == null ? "" : issuer.toString();
    }
}
