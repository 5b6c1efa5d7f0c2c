package dev.fbf.db;

import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The response that an HTTP client got when its operation was applied.
 *
 * @param operation the operation's id
 * @param status the status, 200 to 299, or 400 to 499 for a refusal that is kept
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
