package dev.fbf.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;

/**
 * An annotated method, read and checked.
 *
 * @param method the method of the bean's class
 * @param settings how its operations are applied
 * @param key where the key comes from; null for the HTTP header
 * @param caller where the caller's name comes from; null for the authenticated user's
 * @param required whether a call without a key is refused
 * @param onDuplicate the method that is called for an applied operation; null if there is none
 * @param handlesRequests whether the method belongs to a web controller
 */
record GuardedMethod(
        Method method,
        OperationSettings settings,
        @Nullable Expression key,
        @Nullable Expression caller,
        boolean required,
        @Nullable Method onDuplicate,
        boolean handlesRequests) {

    String scope() {
        return settings.scope();
    }

    /** Whether the key comes in the HTTP header. */
    boolean hasKeyInHeader() {
        return key == null;
    }
}
