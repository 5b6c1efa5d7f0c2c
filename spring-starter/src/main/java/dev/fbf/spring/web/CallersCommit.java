package dev.fbf.spring.web;

import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.operation.AdmittedOperation;
import dev.fbf.spring.operation.Refusals;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Responses where the transaction of a guarded method's caller could not begin, or its COMMIT failed. By then the method has returned, and what the caller throws
 * does not tell the outcome of the operation: a client that takes it for "not applied", and gives up, would be wrong.
 *
 * <p>Comes before all other resolvers, so that fbf's own exceptions do not reach them, whatever order they have.
 */
final class CallersCommit implements HandlerExceptionResolver, PriorityOrdered {

    private final String keyHeader;
    private final OwnResponses responses;

    /**
     * @param keyHeader the name of the header with the key
     */
    CallersCommit(String keyHeader, OwnResponses responses) {
        this.keyHeader = keyHeader;
        this.responses = responses;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        RuntimeException decision = ServletRequests.decision(request);
        if (decision != null) {
            return responses.write(request, response, handler, decision);
        }
        for (AdmittedOperation operation : ServletRequests.followed(request)) {
            Refusal settled = operation.settle(thrown);
            if (settled != null) {
                return responses.write(request, response, handler, Refusals.of(settled, operation.scope(), thrown));
            }
        }
        // Spring MVC may take the reason for a client that has gone, and respond with 200
        if (thrown instanceof CannotCreateTransactionException
                && request.getHeader(keyHeader) != null
                && !ServletRequests.reachedOperation(request)) {
            return responses.write(request, response, handler, Refusals.unreachable(null, thrown));
        }
        return responses.write(request, response, handler, thrown);
    }
}
