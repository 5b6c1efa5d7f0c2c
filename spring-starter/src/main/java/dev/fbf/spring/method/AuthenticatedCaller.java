package dev.fbf.spring.method;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.util.ClassUtils;

/** Caller of the current thread, as authenticated by Spring Security. */
final class AuthenticatedCaller implements Caller {

    private static final boolean HAS_TOKENS = ClassUtils.isPresent(
            "org.springframework.security.oauth2.core.ClaimAccessor", AuthenticatedCaller.class.getClassLoader());

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public String name(@Nullable String scope) {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication == null ? "" : nameOf(authentication, scope);
    }

    private String nameOf(Authentication authentication, @Nullable String scope) {
        if (!trust.isAuthenticated(authentication)) {
            return "";
        }
        String name = Caller.requireName(scope, authentication, authentication.getName());
        Object principal = principalOf(authentication);
        if (!hasName(principal) && name.equals(principal.toString())) {
            KeyValue.requireStable(
                    principal.getClass(),
                    "The name of a principal, which is the caller unless caller= in @IdempotentIncrement names another");
        }
        return qualified(authentication, name);
    }

    @Override
    public @Nullable String nameOf(Object value, @Nullable String scope) {
        if (value instanceof Authentication authentication) {
            return nameOf(authentication, scope);
        }
        if (value instanceof AuthenticatedPrincipal principal) {
            return qualified(loginOf(principal), Caller.requireName(scope, principal, principal.getName()));
        }
        if (value instanceof UserDetails user) {
            return qualified(user, Caller.requireName(scope, user, user.getUsername()));
        }
        return Caller.super.nameOf(value, scope);
    }

    /** Returns this thread's login if the principal is its own: only the login knows at which provider the user logged in. */
    private static Object loginOf(AuthenticatedPrincipal principal) {
        Authentication login = SecurityContextHolder.getContext().getAuthentication();
        return login != null && principal.equals(login.getPrincipal()) ? login : principal;
    }

    private static String qualified(Object login, String name) {
        String issuer = HAS_TOKENS ? TokenIssuers.of(login) : null;
        String text = KeyValue.textOfName(name);
        return issuer == null ? text : KeyValue.WITH_ISSUER + KeyValue.part(issuer) + text;
    }

    /** Returns whether Spring Security does not name a principal by its {@code toString()}. */
    private static boolean hasName(Object principal) {
        return principal instanceof Principal
                || principal instanceof AuthenticatedPrincipal
                || principal instanceof UserDetails;
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
