package dev.fbf.spring.web;

import dev.fbf.spring.OperationOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * Published idempotency policy on which clients may rely (draft-ietf-httpapi-idempotency-key-header, section 2.2 and 2.5).
 *
 * @param retryWindow how long after the first request its retries are recognized, unless a resource has its own window
 * @param replay in words, how the response to a retry of an applied operation differs from the first response
 * @param payload in words, whether and how a retry's payload is compared with the first one's
 * @param responses the responses that a client can get when its operation is not applied
 */
record Policy(
        String header,
        Key key,
        Duration retryWindow,
        String replay,
        String payload,
        List<Response> responses,
        List<Resource> resources) {

    /**
     * What a key looks like.
     *
     * @param format in words
     * @param time in words, what its time is for, unless a resource says otherwise
     * @param maxSkew how far the client's clock may differ, unless a resource says otherwise
     */
    record Key(String format, String example, int minLength, int maxLength, String time, Duration maxSkew) {}

    /**
     * A problem (RFC 9457).
     *
     * @param retry whether it comes with Retry-After, and the same request may get another response then
     * @param advice what a client should do
     */
    record Response(int status, URI type, String title, boolean retry, String advice) {

        static Response of(OperationOutcome problem) {
            return new Response(
                    problem.status(), problem.type(), problem.title(), problem.isRetryable(), problem.advice());
        }
    }

    /**
     * What is guarded.
     *
     * @param method the HTTP method; "any" if there is no certain one
     * @param path the pattern of its path
     * @param scope the family of operations among which a key is unique; empty where the handler decides
     * @param key where the key comes from, in words
     * @param compared whether a request is refused that is another than the first one with its key
     * @param owner whose key it is, in words: another one's key of the same name is another key
     * @param timeRequired whether a key without a time is refused here
     * @param retryWindow how long after the first request its retries are recognized here
     * @param maxSkew how far the client's clock may differ here
     */
    record Resource(
            String method,
            String path,
            String scope,
            String key,
            boolean compared,
            String owner,
            boolean timeRequired,
            Duration retryWindow,
            Duration maxSkew) {}
}
