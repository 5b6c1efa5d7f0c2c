package dev.fbf.spring.web;

import dev.fbf.core.CounterNameException;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.dialect.Response;
import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ReplayedResponseException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.core.MethodParameter;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/**
 * Resolver that writes replays and refusals, bypassing the application's exception handlers, which may handle all exceptions. A handler for
 * a specific fbf exception is called; if it rethrows the exception, fbf responds. Precedes all other resolvers, regardless of their order.
 *
 * <p>Also responds if a transaction around the operation of a request's key could not begin, or its COMMIT failed: that exception does not
 * show the operation's outcome, so a client might stop retrying.
 */
final class HttpContract implements HandlerExceptionResolver, PriorityOrdered {

    private static final Logger log = LoggerFactory.getLogger(HttpContract.class);

    private static final MethodParameter ENTITY = new MethodParameter(
            Objects.requireNonNull(BeanUtils.findMethodWithMinimalParameters(HttpContract.class, "onRefusal")), -1);

    /** The default wait in seconds: operations in progress or in doubt mostly end within a second. */
    private static final long RETRY_AFTER = 1;

    /**
     * The longest wait in seconds that clients are asked for: operations may be applied earlier than expected, for example after an
     * operator's decision.
     */
    private static final long LONGEST_RETRY_AFTER = 3600;

    private final String keyHeader;
    private final Supplier<HandlerExceptionResolver> handlers;
    private final Map<Choice, Boolean> handled = new ConcurrentHashMap<>();
    private final Supplier<ExceptionHandlerExceptionResolver> annotated = SingletonSupplier.of(this::annotated);

    /** Combination that the application's exception handlers are looked up for once. */
    private record Choice(@Nullable Class<?> controller, Class<?> thrown) {}

    /**
     * @param keyHeader the name of the header with the key
     * @param handlers the application's exception handlers
     */
    HttpContract(String keyHeader, Supplier<HandlerExceptionResolver> handlers) {
        this.keyHeader = keyHeader;
        this.handlers = handlers;
    }

    /** Returns Spring's resolver, or a new one if the application has replaced Spring's. */
    private ExceptionHandlerExceptionResolver annotated() {
        List<HandlerExceptionResolver> all = handlers.get() instanceof HandlerExceptionResolverComposite composite
                ? composite.getExceptionResolvers()
                : List.of(handlers.get());
        for (HandlerExceptionResolver resolver : all) {
            if (resolver instanceof ExceptionHandlerExceptionResolver springs) {
                return springs;
            }
        }
        ExceptionHandlerExceptionResolver plain = new ExceptionHandlerExceptionResolver();
        plain.afterPropertiesSet();
        return plain;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        return write(request, response, handler, settled(request, thrown));
    }

    /** Returns the outcome of the request's operation, or the exception itself if that shows it. */
    private Exception settled(HttpServletRequest request, Exception thrown) {
        GuardedRequest known = GuardedRequest.of(request);
        for (Execution operation : known == null ? List.<Execution>of() : known.followed()) {
            Refusal settled = operation.awaitSettled(thrown);
            if (settled != null) {
                return Refusals.of(settled, operation.scope(), thrown);
            }
        }
        return thrown instanceof CannotCreateTransactionException && isBeforeOperation(request)
                ? Refusals.of(Refusal.UNREACHABLE, null, thrown)
                : thrown;
    }

    /** Returns whether a request with a key has not reached its operation. */
    private boolean isBeforeOperation(HttpServletRequest request) {
        GuardedRequest known = GuardedRequest.of(request);
        return request.getHeader(keyHeader) != null && (known == null || !known.hasReachedOperation());
    }

    /** Writes the response to a replay or refusal. Returns null for other exceptions, or if the response cannot be written. */
    private @Nullable ModelAndView write(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        try {
            if (thrown instanceof ReplayedResponseException replay) {
                replay(replay.response(), response);
            } else if (thrown instanceof OperationRefusedException || thrown instanceof CounterNameException) {
                ModelAndView handled = isHandled(thrown, handler)
                        ? handlers.get().resolveException(request, response, handler, thrown)
                        : null;
                if (handled != null) {
                    return handled;
                }
                Objects.requireNonNull(annotated.get().getReturnValueHandlers())
                        .handleReturnValue(
                                entity(thrown),
                                ENTITY,
                                new ModelAndViewContainer(),
                                new ServletWebRequest(request, response));
            } else {
                return null;
            }
        } catch (IOException e) {
            log.debug("The client disconnected before it got its response.", e);
        } catch (Exception e) {
            log.warn("The response to {} cannot be written", thrown.toString(), e);
            return null;
        }
        return new ModelAndView();
    }

    private static ResponseEntity<?> entity(Exception thrown) {
        if (thrown instanceof DuplicateOperationException) {
            return ResponseEntity.noContent()
                    .header(HttpRequest.REPLAYED, "true")
                    .build();
        }
        // the name of a counter comes from the client, or shows a defect of the application
        if (thrown instanceof CounterNameException e) {
            log.debug("Refused with status 400: {}", e.getMessage());
            return ResponseEntity.of(ProblemDetail.forStatusAndDetail(
                            HttpStatus.BAD_REQUEST, "The name of a counter " + e.rule() + "."))
                    .build();
        }
        return onRefusal((OperationRefusedException) thrown);
    }

    static ResponseEntity<ProblemDetail> onRefusal(OperationRefusedException e) {
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

    /** Writes a response as its value was written. Ignores the Accept header: the response was created for the same client. */
    private static void replay(Response first, HttpServletResponse response) throws IOException {
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

    private boolean isHandled(Exception thrown, @Nullable Object handler) {
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : null;
        return handled.computeIfAbsent(
                new Choice(controller, thrown.getClass()), choice -> isHandled(thrown, choice.controller));
    }

    private boolean isHandled(Exception thrown, @Nullable Class<?> controller) {
        return (controller != null && isNamed(thrown, new ExceptionHandlerMethodResolver(controller)))
                || annotated.get().getExceptionHandlerAdviceCache().entrySet().stream()
                        .anyMatch(advice -> advice.getKey().isApplicableToBeanType(controller)
                                && isNamed(thrown, advice.getValue()));
    }

    /**
     * Returns whether a handler is declared for an fbf type of the exception. A handler for all refusals does not get duplicates, which it
     * would turn from successes into errors.
     */
    private static boolean isNamed(Exception thrown, ExceptionHandlerMethodResolver handlers) {
        ExceptionHandlerMappingInfo handling =
                handlers.resolveExceptionMappingByExceptionType(thrown.getClass(), MediaType.ALL);
        return handling != null
                && handling.getExceptionTypes().stream()
                        .anyMatch(type -> type.getName().startsWith("dev.fbf.")
                                && type.isInstance(thrown)
                                && (type != OperationRefusedException.class
                                        || !(thrown instanceof DuplicateOperationException)));
    }
}
