package dev.fbf.spring;

/**
 * The operation was applied before, and the guarded method names no {@link IdempotentIncrement#onDuplicate()} to
 * call in its stead. Over HTTP this is a success: the client gets 204.
 */
public final class DuplicateOperationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param scope the operation's scope
     */
    public DuplicateOperationException(String scope) {
        super("scope=" + scope + ": the operation was applied before, and it has no onDuplicate method");
    }
}
