package dev.fbf.db;

import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The response that an HTTP client got when its operation was applied, or the note that its retries do not get it.
 *
 * @param operation the operation's id
 * @param status the status, 200 to 299, or 400 to 499 for a refusal; 0 if the response is not kept
 * @param contentType the header Content-Type; null if there was none
 * @param location the header Location; null if there was none
 * @param body the body as it was sent; not copied, and not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by what is in it, below
public record Response(
        UUID operation,
        int status,
        @Nullable String contentType,
        @Nullable String location,
        byte[] body) {

    /** Bytes of a response beside its texts and its body: the objects, and the entry of a map. */
    private static final long OVERHEAD = 256;

    /** {@return the note that the response to an operation is not kept} */
    public static Response notKept(UUID operation) {
        return new Response(operation, 0, null, null, new byte[0]);
    }

    /** {@return whether retries get this response} */
    public boolean isKept() {
        return status != 0;
    }

    /** {@return how many bytes of the heap the response takes at most} */
    public long size() {
        return OVERHEAD + (long) Character.BYTES * (lengthOf(contentType) + lengthOf(location)) + body.length;
    }

    private static int lengthOf(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Response response
                && operation.equals(response.operation)
                && status == response.status
                && Objects.equals(contentType, response.contentType)
                && Objects.equals(location, response.location)
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
