package dev.fbf.spring.method;

import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** Who Spring Security knows to be behind what this thread does. */
final class AuthenticatedCaller implements Caller {

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public String name() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return trust.isAuthenticated(authentication) ? authentication.getName() : "";
    }
}
