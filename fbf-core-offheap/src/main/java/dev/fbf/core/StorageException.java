package dev.fbf.core;

import org.jspecify.annotations.Nullable;

/**
 * Signals a problem with fbf's storage (a directory, a file, memory or a database) that an operator can fix.
 *
 * <p>The message is {@link #description()} followed by {@link #action()}.
 */
public final class StorageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Creates an exception.
     *
     * @param description the problem; names the directory or file, if there is one
     * @param action the remedy, in the imperative
     * @param cause the underlying error, if there is one
     */
    public StorageException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** Creates an exception without an underlying error. */
    public StorageException(String description, String action) {
        this(description, action, null);
    }

    /** {@return the problem; names the directory or file, if there is one} */
    public String description() {
        return description;
    }

    /** {@return the remedy, in the imperative} */
    public String action() {
        return action;
    }
}
