package dev.fbf.spring;

/**
 * The operation was applied before, for a request with another method, path, query or body: the client has used a key twice. Nothing
 * was applied now. Over HTTP: 422.
 */
public final class IdempotencyKeyReusedException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param scope the operation's scope
     */
    public IdempotencyKeyReusedException(String scope) {
        super(
                OperationOutcome.KEY_REUSED,
                "scope=" + scope + ": an operation with this idempotency key was applied, for another request",
                "An operation with this idempotency key was applied, for another request.",
                null);
    }
}
