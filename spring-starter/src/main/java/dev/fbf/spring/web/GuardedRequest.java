package dev.fbf.spring.web;

import dev.fbf.db.Response;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.HttpRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Request with guarded operations, or whose handler takes its key. */
final class GuardedRequest extends HttpRequest {

    private static final String ATTRIBUTE = GuardedRequest.class.getName();

    private final List<Execution> followed = new ArrayList<>(1);

    /** Attributes of the latest dispatch. */
    private ServletRequestAttributes attributes;

    private boolean reached;

    private GuardedRequest(ServletRequestAttributes attributes) {
        this.attributes = attributes;
    }

    /** Returns the request that Spring MVC has bound to this thread; null if there is none. */
    static @Nullable GuardedRequest current() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return null;
        }
        GuardedRequest known = of(attributes.getRequest());
        if (known != null) {
            known.attributes = attributes;
            return known;
        }
        GuardedRequest first = new GuardedRequest(attributes);
        attributes.getRequest().setAttribute(ATTRIBUTE, first);
        return first;
    }

    /** Returns the state of a request; null if neither a guard nor a handler has asked for it. */
    static @Nullable GuardedRequest of(HttpServletRequest request) {
        return (GuardedRequest) request.getAttribute(ATTRIBUTE);
    }

    /** Returns the operations whose transactions were still open when their methods returned. */
    List<Execution> followed() {
        return followed;
    }

    /** Returns whether the request has reached an operation that the key in its header names. */
    boolean hasReachedOperation() {
        return reached;
    }

    @Override
    public List<String> header(String name) {
        return Collections.list(attributes.getRequest().getHeaders(name));
    }

    @Override
    public @Nullable Long fingerprint(String scope) {
        reached = true;
        HttpServletRequest request = attributes.getRequest();
        try {
            return request.getAttribute(FingerprintedRequest.ATTRIBUTE) instanceof FingerprintedRequest compared
                    ? compared.fingerprint(scope, request)
                    : null;
        } catch (IOException e) {
            throw new UncheckedIOException("The body of the request cannot be read", e);
        }
    }

    @Override
    public void replayed() {
        if (attributes.getRequest().getAttribute(RecordedResponse.ATTRIBUTE) instanceof RecordedResponse recorded) {
            recorded.replayed();
        }
        HttpServletResponse response = attributes.getResponse();
        if (response != null) {
            response.setHeader(REPLAYED, "true");
        }
    }

    /** Responses cannot be recorded without the filter, for example in a test without filters. */
    @Override
    public void recordResponse(UUID operation, Consumer<Response> receiver) {
        if (attributes.getRequest().getAttribute(RecordedResponse.ATTRIBUTE) instanceof RecordedResponse recorded) {
            recorded.want(operation, receiver);
        } else {
            receiver.accept(Response.notKept(operation));
        }
    }

    @Override
    public void follow(Execution operation) {
        followed.add(operation);
    }
}
