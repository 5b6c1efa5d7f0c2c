package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKeyException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetails;

/** Caller of the current thread, as authenticated by Spring Security. */
final class AuthenticatedCaller implements Caller {

    private static final Logger log = LoggerFactory.getLogger(AuthenticatedCaller.class);

    /** Prefix of names that the application did not issue. The application's own names that begin with the prefix get a second one. */
    private static final String WITH_ISSUER = "\n";

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();
    private final List<Issuers> issuers;
    private final AtomicBoolean warned = new AtomicBoolean();

    AuthenticatedCaller(List<Issuers> issuers) {
        this.issuers = issuers;
    }

    @Override
    public String name(@Nullable String scope) {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication == null ? "" : nameOf(authentication, scope);
    }

    /** Returns the name of an authentication. Logs a missing name only once, because clients can cause it as often as they like. */
    private String nameOf(Authentication authentication, @Nullable String scope) {
        try {
            return trust.isAuthenticated(authentication) ? qualified(scope, authentication, named(authentication)) : "";
        } catch (IdempotencyKeyException e) {
            if (!warned.getAndSet(true)) {
                log.warn("{}", e.getMessage());
            }
            throw e;
        }
    }

    @Override
    public @Nullable String nameOf(Object value, @Nullable String scope) {
        if (value instanceof Authentication authentication) {
            return nameOf(authentication, scope);
        }
        if (value instanceof AuthenticatedPrincipal principal) {
            return qualified(scope, loginOf(principal), principal.getName());
        }
        if (value instanceof UserDetails user) {
            return qualified(scope, user, user.getUsername());
        }
        return Caller.super.nameOf(value, scope);
    }

    /** Returns this thread's login if the principal is its own: only the login knows at which provider the user logged in. */
    private static Object loginOf(AuthenticatedPrincipal principal) {
        Authentication login = SecurityContextHolder.getContext().getAuthentication();
        return login != null && principal.equals(login.getPrincipal()) ? login : principal;
    }

    private String qualified(@Nullable String scope, Object principal, @Nullable String name) {
        String named = Caller.requireName(scope, principal, name);
        List<String> found = issuers.stream()
                .map(known -> known.of(principal))
                .filter(Objects::nonNull)
                .toList();
        if (found.isEmpty()) {
            return named.startsWith(WITH_ISSUER) ? WITH_ISSUER + named : named;
        }
        String issuer = found.stream()
                .filter(Predicate.not(String::isEmpty))
                .findFirst()
                .orElse("");
        return WITH_ISSUER + issuer.length() + ":" + issuer + named;
    }

    /**
     * Returns the name of an authentication, but refuses principals without a stable text: Spring Security names principals of the
     * application's own types by their {@code toString()}.
     */
    private static String named(Authentication authentication) {
        Object principal = authentication.getPrincipal();
        String name = authentication.getName();
        if (principal != null
                && !(principal instanceof AuthenticatedPrincipal || principal instanceof UserDetails)
                && principal.toString().equals(name)) {
            KeyValue.textOf(
                    principal, "Without caller= in @IdempotentIncrement, the authenticated principal is the caller");
        }
        return name;
    }
}
