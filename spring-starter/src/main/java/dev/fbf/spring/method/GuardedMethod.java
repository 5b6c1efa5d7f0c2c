package dev.fbf.spring.method;

import dev.fbf.spring.operation.OperationSettings;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;

/**
 * Annotated method, read and validated.
 *
 * @param method the method of the bean's class
 * @param settings the settings of its operations
 * @param key names the key; null if the key comes in the HTTP header
 * @param caller names the caller; null if there is no such expression
 * @param isCallerResolved whether the application's {@link dev.fbf.spring.CallerResolver} names the caller
 * @param belongsToLogin whether the authenticated user is the caller
 * @param keyRequired whether a call without a key is refused
 * @param onDuplicate the method that responds to a retry if the first response was not kept; null if there is none
 * @param handlesRequests whether the method belongs to a controller and has a request mapping
 * @param keepsResponse whether the response to its request is kept
 */
public record GuardedMethod(
        Method method,
        OperationSettings settings,
        @Nullable Expression key,
        @Nullable Expression caller,
        boolean isCallerResolved,
        boolean belongsToLogin,
        boolean keyRequired,
        @Nullable Method onDuplicate,
        boolean handlesRequests,
        boolean keepsResponse) {

    public String scope() {
        return settings.scope();
    }

    /** Returns whether the key comes in the HTTP header. */
    public boolean hasKeyInHeader() {
        return key == null;
    }
}
