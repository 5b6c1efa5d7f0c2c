package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.security.Principal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Resolver of the current thread's caller. */
@FunctionalInterface
interface Caller {

    /** Resolver for applications that do not distinguish callers. */
    Caller ANYBODY = scope -> "";

    /** Description of a principal as the source of a name, for messages. */
    String PRINCIPAL =
            "The name of a principal, which is the caller unless caller= in @IdempotentIncrement names another";

    /**
     * Returns the caller's name; empty for no particular caller.
     *
     * @param scope the operation's scope for messages; null if not known
     * @throws IdempotencyKeyException if a caller is authenticated but has no name
     * @throws IllegalStateException if the name is the unstable text of a principal
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
     * @throws IllegalStateException if the name is the unstable text of a principal
     */
    default @Nullable String nameOf(Object value, @Nullable String scope) {
        return value instanceof Principal principal
                ? stableName(scope, principal, () -> requireName(scope, principal, principal.getName()))
                : null;
    }

    /**
     * Returns the name of a principal, or refuses one that a retry would not have.
     *
     * @param names returns the name
     * @return the name; if it is only the principal's {@code toString()}, the text of the principal as a value
     * @throws IllegalStateException if equal principals can have different names
     */
    default String stableName(@Nullable String scope, Object principal, Supplier<String> names) {
        return KeyValue.textOfName(principal, names, PRINCIPAL, part -> partOf(scope, part));
    }

    private String partOf(@Nullable String scope, Object part) {
        String name = nameOf(part, scope);
        return name != null ? name : KeyValue.textOf(part, PRINCIPAL, its -> partOf(scope, its));
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
