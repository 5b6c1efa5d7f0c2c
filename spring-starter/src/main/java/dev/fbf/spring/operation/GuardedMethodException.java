package dev.fbf.spring.operation;

import java.lang.reflect.Method;

/** Operations are declared in a way that cannot work. */
public final class GuardedMethodException extends StartException {

    private static final long serialVersionUID = 1L;

    public GuardedMethodException(Method method, String what, String action) {
        this(OperationSettings.declaredBy(method), what, action);
    }

    /**
     * Makes one.
     *
     * @param declaredBy what declares the operations
     */
    public GuardedMethodException(String declaredBy, String what, String action) {
        super(declaredBy + ": " + what, action, null);
    }
}
