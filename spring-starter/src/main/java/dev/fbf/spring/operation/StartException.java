package dev.fbf.spring.operation;

import org.jspecify.annotations.Nullable;

/** Failure of the start, with the action that mends it. */
public class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    public StartException(String what, String action, @Nullable Throwable cause) {
        super(what, cause);
        this.action = action;
    }

    /** The action that mends it. */
    public final String action() {
        return action;
    }
}
