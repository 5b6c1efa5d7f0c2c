package dev.fbf.spring.web;

import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.ReplayedResponseException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
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
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Writes replays and refusals past the application's exception handlers, which may handle all exceptions; a handler that names one of fbf's
 * exceptions gets it. A handler that throws it again leaves the response to fbf.
 */
final class OwnResponses {

    private static final Logger log = LoggerFactory.getLogger(OwnResponses.class);

    private static final MethodParameter ENTITY = new MethodParameter(
            Objects.requireNonNull(BeanUtils.findMethodWithMinimalParameters(HttpContract.class, "onRefusal")), -1);

    private static final String NAMED = OperationRefusedException.class.getPackageName();

    private final HttpContract contract;
    private final Supplier<HandlerExceptionResolver> handlers;
    private final Supplier<ExceptionHandlerExceptionResolver> annotated;

    /**
     * @param handlers the application's exception handlers
     */
    OwnResponses(HttpContract contract, Supplier<HandlerExceptionResolver> handlers) {
        this.contract = contract;
        this.handlers = handlers;
        annotated = SingletonSupplier.of(() -> annotatedOf(handlers.get()));
    }

    private static ExceptionHandlerExceptionResolver annotatedOf(HandlerExceptionResolver handlers) {
        List<HandlerExceptionResolver> all = handlers instanceof HandlerExceptionResolverComposite composite
                ? composite.getExceptionResolvers()
                : List.of(handlers);
        return all.stream()
                .filter(ExceptionHandlerExceptionResolver.class::isInstance)
                .map(ExceptionHandlerExceptionResolver.class::cast)
                .findFirst()
                .orElseGet(OwnResponses::plain);
    }

    /** Where the application has put others in the place of Spring's. */
    private static ExceptionHandlerExceptionResolver plain() {
        ExceptionHandlerExceptionResolver plain = new ExceptionHandlerExceptionResolver();
        plain.afterPropertiesSet();
        return plain;
    }

    /** Writes the response for an exception; returns null, and does nothing, if that is not one of fbf's. */
    @Nullable ModelAndView write(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        try {
            if (thrown instanceof ReplayedResponseException replay) {
                contract.onReplay(replay, response);
            } else if (thrown instanceof OperationRefusedException refusal) {
                ModelAndView handled = isHandled(thrown, handler)
                        ? handlers.get().resolveException(request, response, handler, thrown)
                        : null;
                if (handled != null) {
                    return handled;
                }
                Objects.requireNonNull(annotated.get().getReturnValueHandlers())
                        .handleReturnValue(
                                entity(request, refusal),
                                ENTITY,
                                new ModelAndViewContainer(),
                                new ServletWebRequest(request, response));
            } else {
                return null;
            }
        } catch (IOException e) {
            log.debug("The client has gone before it got its response.", e);
        } catch (Exception e) {
            log.warn("The response to {} cannot be written", thrown.toString(), e);
            return null;
        }
        return new ModelAndView();
    }

    private ResponseEntity<?> entity(HttpServletRequest request, OperationRefusedException thrown) {
        return thrown instanceof DuplicateOperationException duplicate
                ? contract.onDuplicate(duplicate)
                : contract.onRefusal(thrown, RequestContextUtils.getLocale(request));
    }

    private boolean isHandled(Exception thrown, @Nullable Object handler) {
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : null;
        return (controller != null && isNamed(thrown, new ExceptionHandlerMethodResolver(controller)))
                || annotated.get().getExceptionHandlerAdviceCache().entrySet().stream()
                        .anyMatch(advice -> advice.getKey().getBeanType() != HttpContract.class
                                && advice.getKey().isApplicableToBeanType(controller)
                                && isNamed(thrown, advice.getValue()));
    }

    /** A handler of all refusals does not get a duplicate: it would make an error of a success. */
    private static boolean isNamed(Exception thrown, ExceptionHandlerMethodResolver handlers) {
        ExceptionHandlerMappingInfo handling =
                handlers.resolveExceptionMappingByExceptionType(thrown.getClass(), MediaType.ALL);
        return handling != null
                && handling.getExceptionTypes().stream()
                        .anyMatch(type -> type.getPackageName().equals(NAMED)
                                && type.isInstance(thrown)
                                && (type != OperationRefusedException.class
                                        || !(thrown instanceof DuplicateOperationException)));
    }
}
