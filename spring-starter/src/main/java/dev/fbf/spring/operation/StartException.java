package dev.fbf.spring.operation;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Signals an error that stops the start, with a description and an action for the operator. */
public class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    public StartException(String what, String action, @Nullable Throwable cause) {
        super(what, cause);
        this.action = action;
    }

    /** Reports an invalid declaration of operations. */
    public StartException(OperationSettings declared, String what, String action) {
        this(declared.declaredBy() + ": " + what, action, null);
    }

    /** Reports a method with an invalid declaration of operations. */
    public StartException(Method declared, String what, String action) {
        this(OperationSettings.declaredBy(declared) + ": " + what, action, null);
    }

    public final String action() {
        return action;
    }
}
