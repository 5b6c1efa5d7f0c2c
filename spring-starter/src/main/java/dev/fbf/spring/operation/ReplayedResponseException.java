package dev.fbf.spring.operation;

import dev.fbf.db.dialect.Response;

/** Signals that the first response is replayed, and carries it from the guarded call to the writer of responses. */
public final class ReplayedResponseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Response response;

    ReplayedResponseException(Response response) {
        super("The operation was applied before; its first response is replayed", null, false, false);
        this.response = response;
    }

    public Response response() {
        return response;
    }
}
