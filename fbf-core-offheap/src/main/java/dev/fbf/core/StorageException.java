package dev.fbf.core;

import org.jspecify.annotations.Nullable;

/**
 * Signals a problem with fbf's storage (a directory, a file, memory or a database) that an operator can fix.
 *
 * <p>The message is {@link #description()} followed by {@link #action()}.
 */
public final class StorageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Settings that an action can refer to. The caller of this library knows how a user sets them. */
    public enum Setting {
        DIRECTORY,
        /** The maximum total size of a filter's files. */
        MAX_BYTES
    }

    private final String description;
    private final String action;
    private final @Nullable Setting setting;

    /**
     * Creates an exception whose action does not refer to a setting.
     *
     * @param description the problem; names the directory or file, if there is one
     * @param action the remedy, in the imperative
     * @param cause the underlying error, if there is one
     */
    public StorageException(String description, String action, @Nullable Throwable cause) {
        this(description, action, null, cause);
    }

    /** Creates an exception whose action refers to a setting. */
    public StorageException(String description, String action, @Nullable Setting setting, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
        this.setting = setting;
    }

    /** {@return the problem; names the directory or file, if there is one} */
    public String description() {
        return description;
    }

    /** {@return the remedy, in the imperative} */
    public String action() {
        return action;
    }

    /** {@return the setting that the action refers to; null if there is none} */
    public @Nullable Setting setting() {
        return setting;
    }
}
