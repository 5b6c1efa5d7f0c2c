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
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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

    /** The default wait: operations in progress or in doubt mostly end within a second. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    /**
     * The longest wait that clients are asked for: operations may be applied earlier than expected, for example after an operator's
     * decision.
     */
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofHours(1);

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

    /**
     * Returns the reasons why operations are refused.
     *
     * @param comparesRequests whether requests are compared
     */
    static List<OperationOutcome> problems(boolean comparesRequests) {
        return Stream.of(OperationOutcome.values())
                .filter(outcome -> outcome.problem() != null)
                .filter(problem -> comparesRequests || problem != OperationOutcome.KEY_REUSED)
                .toList();
    }

    private String retryAfterSeconds(OperationRefusedException e) {
        Duration known = e instanceof OperationUnavailableException unavailable ? unavailable.retryAfter() : null;
        Duration wait = RETRY_AFTER;
        if (known != null && known.compareTo(RETRY_AFTER) > 0) {
            wait = known.compareTo(LONGEST_RETRY_AFTER) < 0 ? known : LONGEST_RETRY_AFTER;
        }
        return Long.toString(wait.plusSeconds(1).minusNanos(1).toSeconds());
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
