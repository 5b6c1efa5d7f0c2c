package dev.fbf.spring.method;

import dev.fbf.spring.operation.OperationSettings;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Annotated method, read and validated.
 *
 * @param method the method of the bean's class
 * @param settings the settings of its operations
 * @param key the source of the key
 * @param caller the source of the caller's name
 * @param keyRequired whether a call without a key is refused
 * @param onDuplicate the method that responds to a retry if the first response was not kept; null if there is none
 * @param handlesRequests whether the method belongs to a controller and has a request mapping
 * @param keepsResponse whether the response to its request is kept
 */
public record GuardedMethod(
        Method method,
        OperationSettings settings,
        ValueSource key,
        ValueSource caller,
        boolean keyRequired,
        @Nullable Method onDuplicate,
        boolean handlesRequests,
        boolean keepsResponse) {

    public String scope() {
        return settings.scope();
    }

    /** Returns whether the key comes in the HTTP header. */
    public boolean hasKeyInHeader() {
        return key == ValueSource.REQUEST;
    }

    /** Returns whether an expression or a resolver of the application names the caller. */
    boolean namesCaller() {
        return caller != ValueSource.REQUEST && caller != ValueSource.NONE;
    }

    /** Returns whether the login is part of the operation's name. */
    public boolean belongsToLogin() {
        return caller == ValueSource.REQUEST;
    }
}
