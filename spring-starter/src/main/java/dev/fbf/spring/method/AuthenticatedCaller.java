package dev.fbf.spring.method;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetails;

/** Caller of the current thread, as authenticated by Spring Security. */
final class AuthenticatedCaller implements Caller {

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();
    private final List<Issuers> issuers;

    AuthenticatedCaller(List<Issuers> issuers) {
        this.issuers = issuers;
    }

    @Override
    public String name(@Nullable String scope) {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication == null ? "" : nameOf(authentication, scope);
    }

    private String nameOf(Authentication authentication, @Nullable String scope) {
        return trust.isAuthenticated(authentication)
                ? qualified(scope, authentication, principalOf(authentication), authentication::getName)
                : "";
    }

    @Override
    public @Nullable String nameOf(Object value, @Nullable String scope) {
        if (value instanceof Authentication authentication) {
            return nameOf(authentication, scope);
        }
        if (value instanceof AuthenticatedPrincipal principal) {
            return qualified(scope, loginOf(principal), principal, principal::getName);
        }
        if (value instanceof UserDetails user) {
            return qualified(scope, user, user, user::getUsername);
        }
        return Caller.super.nameOf(value, scope);
    }

    /** Returns this thread's login if the principal is its own: only the login knows at which provider the user logged in. */
    private static Object loginOf(AuthenticatedPrincipal principal) {
        Authentication login = SecurityContextHolder.getContext().getAuthentication();
        return login != null && principal.equals(login.getPrincipal()) ? login : principal;
    }

    private String qualified(@Nullable String scope, Object login, Object principal, Supplier<@Nullable String> names) {
        String name = stableName(scope, principal, () -> Caller.requireName(scope, login, names.get()));
        List<String> found = issuers.stream()
                .map(known -> known.of(login))
                .filter(Objects::nonNull)
                .toList();
        if (found.isEmpty()) {
            return name;
        }
        String issuer = found.stream()
                .filter(Predicate.not(String::isEmpty))
                .findFirst()
                .orElse("");
        return KeyValue.WITH_ISSUER + KeyValue.part(issuer) + name;
    }

    /** Returns the principal that names an authentication; the authentication itself if it has none. */
    private static Object principalOf(Authentication authentication) {
        Object principal = authentication.getPrincipal();
        if (principal instanceof Authentication inner) {
            return principalOf(inner);
        }
        return principal == null ? authentication : principal;
    }
}
