package dev.fbf.spring;

import dev.fbf.core.guard.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt to apply an operation ended.
 *
 * @param result what the method returned
 * @param refusal why its work is not done; null if it is
 */
record Attempt(@Nullable Object result, @Nullable Refusal refusal) {

    static Attempt applied(@Nullable Object result) {
        return new Attempt(result, null);
    }

    static Attempt refused(Refusal refusal) {
        return new Attempt(null, refusal);
    }
}
