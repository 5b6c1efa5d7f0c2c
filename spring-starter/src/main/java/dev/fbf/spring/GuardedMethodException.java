package dev.fbf.spring;

import java.lang.reflect.Method;

/** A method is annotated in a way that cannot work. Stops the start. */
final class GuardedMethodException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    GuardedMethodException(Method method, String what, String action) {
        super("@IdempotentIncrement on " + method.toGenericString() + ": " + what);
        this.action = action;
    }

    String action() {
        return action;
    }
}
