package dev.fbf.spring.operation;

import dev.fbf.db.Response;

/** Takes the first response past the code that surrounds the guarded call, to where responses are made. */
public final class ReplayedResponseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Response response;

    ReplayedResponseException(Response response) {
        super("The operation was applied before, and gets the same response", null, false, false);
        this.response = response;
    }

    public Response response() {
        return response;
    }
}
