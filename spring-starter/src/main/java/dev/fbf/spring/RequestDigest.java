package dev.fbf.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Selection of the bytes that a retry must repeat. One bean of this type applies to the whole application. This one
 * ignores the order of JSON's fields, and the ID that a JSON-RPC client gives each try:
 *
 * <pre>{@code
 * @Bean
 * RequestDigest calls() {
 *     JsonMapper sorted = JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();
 *     return (request, body) -> {
 *         if (!request.getRequestURI().equals("/rpc")) {
 *             return null;
 *         }
 *         ObjectNode call = (ObjectNode) sorted.readTree(body);
 *         call.remove("id");
 *         return sorted.writeValueAsBytes(call);
 *     };
 * }
 * }</pre>
 *
 * <p>Called concurrently, when a request with a key in its header calls a guarded method, before a claim or a transaction begins. After an
 * exception the method is not called.
 */
@FunctionalInterface
public interface RequestDigest {

    /**
     * Returns the bytes to compare. They are the whole comparison: include the path, for example, if it matters.
     *
     * @param request the request; the first access to its parameters makes the server read a form, which the method then cannot read itself
     * @param body the first megabyte of the body, as it came; empty if it is unread, or if the server has read it as a form
     * @return the bytes; null for the default comparison
     */
    byte @Nullable [] digest(HttpServletRequest request, byte[] body);
}
