package dev.fbf.spring;

import java.lang.reflect.Method;

/** Operations are declared in a way that cannot work. Stops the start. */
final class GuardedMethodException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    GuardedMethodException(Method method, String what, String action) {
        this(OperationSettings.declaredBy(method), what, action);
    }

    /**
     * Makes one.
     *
     * @param declaredBy what declares the operations
     */
    GuardedMethodException(String declaredBy, String what, String action) {
        super(declaredBy + ": " + what);
        this.action = action;
    }

    String action() {
        return action;
    }
}
