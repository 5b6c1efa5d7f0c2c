package dev.fbf.spring.web;

import dev.fbf.core.CounterNameException;
import dev.fbf.db.dialect.Response;
import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.ReplayedResponseException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** HTTP responses for operations that are not applied, including replays. */
@RestControllerAdvice
@Order(0)
final class HttpContract {

    private static final Logger log = LoggerFactory.getLogger(HttpContract.class);

    /** The default wait in seconds: operations in progress or in doubt mostly end within a second. */
    private static final long RETRY_AFTER = 1;

    /**
     * The longest wait in seconds that clients are asked for: operations may be applied earlier than expected, for example after an
     * operator's decision.
     */
    private static final long LONGEST_RETRY_AFTER = 3600;

    @ExceptionHandler
    ResponseEntity<ProblemDetail> onRefusal(OperationRefusedException e) {
        OperationOutcome problem = e.reason();
        log.debug("Refused with status {}: {}", problem.status(), e.getMessage());
        ProblemDetail detail = ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(problem.status()), e.detail());
        detail.setType(problem.type());
        detail.setTitle(problem.title());
        ResponseEntity.BodyBuilder response = ResponseEntity.status(problem.status());
        if (e.isRetryable()) {
            response.header(HttpHeaders.RETRY_AFTER, retryAfterSeconds(e));
        }
        return response.body(detail);
    }

    private static String retryAfterSeconds(OperationRefusedException e) {
        Duration known = e instanceof OperationUnavailableException unavailable ? unavailable.retryAfter() : null;
        long wait =
                known == null ? RETRY_AFTER : known.plusSeconds(1).minusNanos(1).toSeconds();
        return Long.toString(Math.max(RETRY_AFTER, Math.min(LONGEST_RETRY_AFTER, wait)));
    }

    /** Responds to an invalid counter name, which comes from the client or shows a defect of the application. */
    @ExceptionHandler
    ProblemDetail onCounterName(CounterNameException e) {
        log.debug("Refused with status 400: {}", e.getMessage());
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "The name of a counter " + e.rule() + ".");
    }

    /** Writes a response as its value was written. Ignores the Accept header: the response was created for the same client. */
    @ExceptionHandler
    void onReplay(ReplayedResponseException e, HttpServletResponse response) throws IOException {
        Response first = e.response();
        response.setStatus(first.status());
        response.setHeader(HttpRequest.REPLAYED, "true");
        Set<String> seen = new HashSet<>();
        first.headers().lines().forEach(line -> {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon);
            String value = line.substring(colon + 2);
            if (seen.add(name)) {
                response.setHeader(name, value);
            } else {
                response.addHeader(name, value);
            }
        });
        if (first.body().length > 0) {
            response.setContentLength(first.body().length);
            response.getOutputStream().write(first.body());
            response.flushBuffer();
        }
    }

    @ExceptionHandler
    ResponseEntity<Void> onDuplicate(DuplicateOperationException e) {
        return ResponseEntity.noContent().header(HttpRequest.REPLAYED, "true").build();
    }
}
