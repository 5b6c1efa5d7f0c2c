package dev.fbf.spring.method;

import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;

/** Providers of an OAuth 2.0 login: without OpenID Connect, they name users by numbers of their own. */
final class LoginProviders implements Issuers {

    @Override
    public @Nullable String of(Object principal) {
        return principal instanceof OAuth2AuthenticationToken login
                ? "registration:" + login.getAuthorizedClientRegistrationId()
                : null;
    }
}
