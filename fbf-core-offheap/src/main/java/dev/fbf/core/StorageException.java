package dev.fbf.core;

import org.jspecify.annotations.Nullable;

/**
 * Signals that a directory or file of fbf cannot be used, and that a person can fix it. Nothing was changed on disk.
 *
 * <p>The message is {@link #description()} followed by {@link #action()}.
 */
public final class StorageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Creates an exception with a description and an action.
     *
     * @param description one sentence that names the directory or file
     * @param action one sentence in the imperative
     * @param cause the error of the operating system, if there is one
     */
    public StorageException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** {@return the problem, in one sentence that names the directory or file} */
    public String description() {
        return description;
    }

    /** {@return the remedy, in one sentence in the imperative} */
    public String action() {
        return action;
    }
}
