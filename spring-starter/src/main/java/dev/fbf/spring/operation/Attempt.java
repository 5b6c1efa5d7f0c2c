package dev.fbf.spring.operation;

import dev.fbf.core.guard.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt to apply an operation ended.
 *
 * @param result what the operation's work returned
 * @param refusal why the work is not done; null if it is
 */
public record Attempt<T>(@Nullable T result, @Nullable Refusal refusal) {

    static <T> Attempt<T> applied(@Nullable T result) {
        return new Attempt<>(result, null);
    }

    static <T> Attempt<T> refused(Refusal refusal) {
        return new Attempt<>(null, refusal);
    }
}
