package dev.fbf.spring;

import java.net.URI;
import java.time.Duration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What a client is answered when its operation is not applied now. Every such decision is made here. */
@RestControllerAdvice
@Order(0)
final class HttpContract {

    private final String retryAfterSeconds;

    HttpContract(Duration retryAfter) {
        retryAfterSeconds = Long.toString(retryAfter.plusNanos(999_999_999).toSeconds());
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> onKey(IdempotencyKeyException e) {
        return problem(HttpStatus.BAD_REQUEST, "idempotency-key", "Idempotency key missing or malformed", e, false);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> onKeyTime(IdempotencyKeyTimeException e) {
        return problem(
                HttpStatus.BAD_REQUEST,
                "idempotency-key-time",
                "Idempotency key without a time, or from the future",
                e,
                false);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> onKeyTooOld(IdempotencyKeyTooOldException e) {
        return problem(
                HttpStatus.PRECONDITION_FAILED,
                "idempotency-key-too-old",
                "Idempotency key older than the window",
                e,
                false);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> onInProgress(OperationInProgressException e) {
        return problem(HttpStatus.CONFLICT, "in-progress", "Operation in progress", e, true);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> onUnavailable(OperationUnavailableException e) {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "unavailable", "Operation cannot be applied now", e, true);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> onDuplicate(DuplicateOperationException e) {
        return ResponseEntity.noContent().build();
    }

    private ResponseEntity<ProblemDetail> problem(
            HttpStatus status, String type, String title, RuntimeException e, boolean retry) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, e.getMessage());
        problem.setType(URI.create("urn:fbf:problem:" + type));
        problem.setTitle(title);
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(status);
        if (retry) {
            answer.header(HttpHeaders.RETRY_AFTER, retryAfterSeconds);
        }
        return answer.body(problem);
    }
}
