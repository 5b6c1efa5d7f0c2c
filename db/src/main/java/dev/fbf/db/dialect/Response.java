package dev.fbf.db.dialect;

import java.util.UUID;

/**
 * The response that an HTTP client received when its operation was applied, or a marker that it is not kept for retries.
 *
 * @param operation the operation's id
 * @param status the status, below 500; 0 if the response is not kept
 * @param headers the headers that are kept, in order, each as a line {@code Name: value\n}
 * @param body the body as it was sent; not copied, and not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // a response equals itself
public record Response(UUID operation, int status, String headers, byte[] body) {

    /** Estimated bytes besides headers and body: the record, its id, two arrays and a map entry. */
    private static final long BESIDE_CONTENT = 256;

    /** Returns the estimated heap use in bytes. Shared parts are counted in full. */
    public long size() {
        return BESIDE_CONTENT + headers.length() + body.length;
    }

    /** {@return a marker that the response to an operation is not kept} */
    public static Response notKept(UUID operation) {
        return new Response(operation, 0, "", new byte[0]);
    }

    /** {@return whether retries get this response} */
    public boolean isKept() {
        return status != 0;
    }

    @Override
    public String toString() {
        return "Response[operation=" + operation + ", status=" + status + ", body=" + body.length + " bytes]";
    }
}
