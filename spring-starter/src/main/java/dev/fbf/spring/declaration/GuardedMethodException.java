package dev.fbf.spring.declaration;

import java.lang.reflect.Method;

/** Operations are declared in a way that cannot work. Stops the start. */
public final class GuardedMethodException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    public GuardedMethodException(Method method, String what, String action) {
        this(OperationSettings.declaredBy(method), what, action);
    }

    /**
     * Makes one.
     *
     * @param declaredBy what declares the operations
     */
    public GuardedMethodException(String declaredBy, String what, String action) {
        super(declaredBy + ": " + what);
        this.action = action;
    }

    String action() {
        return action;
    }
}
