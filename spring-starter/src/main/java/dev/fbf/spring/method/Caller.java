package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** Resolver of the current thread's caller. */
@FunctionalInterface
interface Caller {

    /** Resolver for applications that do not distinguish callers. */
    Caller ANYBODY = scope -> "";

    /**
     * Returns the caller's name; empty for no particular caller.
     *
     * @param scope the operation's scope for messages; null if not known
     * @throws IdempotencyKeyException if a caller is authenticated but has no name
     * @throws IllegalStateException if the principal has no name of its own, and its text is not stable
     */
    String name(@Nullable String scope);

    /** Returns the name like {@link #name(String)}, for expressions: {@code caller = "@fbfAuthenticatedCaller.name()"}. */
    default String name() {
        return name(null);
    }

    /**
     * Returns the name of a principal or an authentication.
     *
     * @return the name, with the issuer if the value shows it; empty for an anonymous authentication; null for other values
     * @throws IdempotencyKeyException if the value has no name
     * @throws IllegalStateException if the principal has no name of its own, and its text is not stable
     */
    default @Nullable String nameOf(Object value, @Nullable String scope) {
        return value instanceof Principal principal
                ? KeyValue.textOfName(requireName(scope, principal, principal.getName()))
                : null;
    }

    /** Returns the name, or refuses a principal without a name: all such principals would be the same caller. */
    static String requireName(@Nullable String scope, Object principal, @Nullable String name) {
        if (name == null || name.isBlank()) {
            throw OperationRefusedException.of(
                    OperationOutcome.KEY_INVALID,
                    scope,
                    "The caller, a " + principal.getClass().getSimpleName()
                            + ", is authenticated but has no name, for example because its token has no sub. Its keys"
                            + " could not be distinguished from those of other callers, so the operation was not"
                            + " applied. Name the caller with caller = \"#…\" in @IdempotentIncrement, or with a"
                            + " CallerResolver bean.",
                    "The request's credentials do not name a caller, so its idempotency key cannot be used.");
        }
        return name;
    }
}
