package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKeyException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** Who is behind what this thread does. */
@FunctionalInterface
interface Caller {

    /** Where callers are not told apart. */
    Caller ANYBODY = () -> "";

    /**
     * Returns the caller's name, empty for nobody in particular.
     *
     * @throws IdempotencyKeyException if a caller is authenticated, and has no name
     */
    String name();

    /**
     * Returns the name of a principal, as {@link #name()} has it.
     *
     * @return null if the value is not a principal
     * @throws IdempotencyKeyException if the principal has no name
     */
    default @Nullable String nameOf(Object value) {
        return value instanceof Principal principal ? requireName(principal, principal.getName()) : null;
    }

    /** Returns the name, which a principal may lack: all such principals would be one caller. */
    static String requireName(Object principal, @Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new IdempotencyKeyException(
                    "The caller, a " + principal.getClass().getSimpleName()
                            + ", is authenticated and has no name, as with a token without sub. Its keys could not be told from"
                            + " those of another one, so that the operation was not applied. Name the caller with caller = \"#…\" in"
                            + " @IdempotentIncrement.",
                    "The request's credentials name no caller, so that its idempotency key belongs to nobody.");
        }
        return name;
    }
}
