package dev.fbf.spring.web;

import dev.fbf.spring.OperationOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * Published idempotency policy on which clients may rely (draft-ietf-httpapi-idempotency-key-header, sections 2.2 and 2.5).
 *
 * @param retryWindow the time after the first request in which its retries are recognized, unless a resource has its own window
 * @param replay the response to a retry of an applied operation, in words
 * @param payload the comparison of a retry's payload with that of the first request, in words
 * @param responses the problems that a client can get in place of its operation's response; some leave open whether it was applied
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
     * Format of a key.
     *
     * @param format the format, in words
     * @param time the rule for the time in a key, in words, unless a resource has its own
     * @param maxSkew the allowed difference of the client's clock, unless a resource has its own
     */
    record Key(String format, String example, int minLength, int maxLength, String time, Duration maxSkew) {}

    /**
     * A problem (RFC 9457).
     *
     * @param retry whether it comes with Retry-After, after which the same request may get another response
     * @param advice the recommended reaction of a client
     */
    record Response(int status, URI type, String title, boolean retry, String advice) {

        static Response of(OperationOutcome problem) {
            return new Response(
                    problem.status(), problem.type(), problem.title(), problem.isRetryable(), problem.advice());
        }
    }

    /**
     * A guarded resource.
     *
     * @param method the HTTP method; "any" if it accepts all
     * @param path the pattern of its path
     * @param scope the scope in which a key is unique; empty if the handler decides
     * @param key the source of the key, in words
     * @param compared whether another request with the same key is refused
     * @param owner the owner of the key, in words: equal keys of two owners are different keys
     * @param timeRequired whether a key without a time is refused here
     * @param retryWindow the time after the first request in which its retries are recognized here
     * @param maxSkew the allowed difference of the client's clock here
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
