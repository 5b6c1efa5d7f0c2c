package dev.fbf.core;

import org.jspecify.annotations.Nullable;

/**
 * A directory or file of fbf cannot be used, and a person can do something about it. Nothing was changed on disk.
 *
 * <p>The message has both, {@link #description()} and {@link #action()}.
 */
public final class StorageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Tells what is wrong and what to do about it.
     *
     * @param description one sentence that names the directory or file
     * @param action one sentence in the imperative
     * @param cause what the operating system said, if it said anything
     */
    public StorageException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    /**
     * Tells what is wrong.
     *
     * @return one sentence that names the directory or file
     */
    public String description() {
        return description;
    }

    /**
     * Tells what to do.
     *
     * @return one sentence in the imperative
     */
    public String action() {
        return action;
    }
}
