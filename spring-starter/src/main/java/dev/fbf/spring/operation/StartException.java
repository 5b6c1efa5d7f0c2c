package dev.fbf.spring.operation;

import org.jspecify.annotations.Nullable;

/** Stops the start, with advice. */
public class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    public StartException(String what, String action, @Nullable Throwable cause) {
        super(what, cause);
        this.action = action;
    }

    public final String action() {
        return action;
    }
}
