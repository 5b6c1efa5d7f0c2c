package dev.fbf.db;

import java.util.Arrays;
import java.util.UUID;

/**
 * The response that an HTTP client got when its operation was applied, or the note that its retries do not get it.
 *
 * @param operation the operation's id
 * @param status the status: below 400, or 400 to 499 for a refusal; 0 if the response is not kept
 * @param headers the headers that are kept, as HTTP/1.1 has them: a line {@code Name: value\n} for each, in their order
 * @param ending the last call of its handler
 * @param body the body as it was sent, or the argument of that call, in UTF-8; not copied, and not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by what is in it, below
public record Response(UUID operation, int status, String headers, Ending ending, byte[] body) {

    /** An estimate, in bytes: the record, its id, two arrays and the entry of a map. */
    private static final long BESIDE_CONTENT = 256;

    /** Returns about how many bytes of heap this takes. Every part of it counts. */
    public long size() {
        return BESIDE_CONTENT + headers.length() + body.length;
    }

    /** How a handler leaves its response. The filters around it find another state after each. */
    public enum Ending {
        /** The server sends it when all filters have seen it. */
        RETURNED,
        /** It was flushed: filters can set no headers. */
        FLUSHED,
        /** It was closed: filters can add nothing. */
        CLOSED,
        /** The server makes the response to a redirect to a location. */
        REDIRECTED,
        /** The server, or the application's page of errors, makes the response to an error with a message. */
        ERROR
    }

    /** {@return the note that the response to an operation is not kept} */
    public static Response notKept(UUID operation) {
        return new Response(operation, 0, "", Ending.RETURNED, new byte[0]);
    }

    /** {@return whether retries get this response} */
    public boolean isKept() {
        return status != 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Response response
                && operation.equals(response.operation)
                && status == response.status
                && headers.equals(response.headers)
                && ending == response.ending
                && Arrays.equals(body, response.body);
    }

    @Override
    public int hashCode() {
        return operation.hashCode();
    }

    @Override
    public String toString() {
        return "Response[operation=" + operation + ", status=" + status + ", body=" + body.length + " bytes]";
    }
}
