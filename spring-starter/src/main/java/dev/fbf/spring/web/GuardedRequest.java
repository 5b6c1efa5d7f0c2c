package dev.fbf.spring.web;

import dev.fbf.db.dialect.Response;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.RequestKey;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Request with guarded operations, or whose handler takes its key. */
final class GuardedRequest implements HttpRequest {

    private static final String ATTRIBUTE = GuardedRequest.class.getName();

    private final List<Execution> followed = new ArrayList<>(1);

    /** The applied operations whose response is not complete, and its receivers. */
    private final Map<UUID, Consumer<Response>> wanted = new LinkedHashMap<>(2);

    /** Headers that were set before the guarded call, which filters and interceptors set for a replay, too. */
    private final Map<String, Collection<String>> before;

    /** Attributes of the latest dispatch. */
    private ServletRequestAttributes attributes;

    private @Nullable RequestKey key;
    private boolean reached;
    private boolean view;

    private GuardedRequest(ServletRequestAttributes attributes) {
        this.attributes = attributes;
        HttpServletResponse response = attributes.getResponse();
        before = response == null ? Map.of() : headers(response);
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
    public IdempotencyKey take(String value, String caller) {
        key = new RequestKey(value, caller);
        return key;
    }

    @Override
    public @Nullable IdempotencyKey key() {
        return key;
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
                    ? compared.fingerprint(scope)
                    : null;
        } catch (IOException e) {
            throw new UncheckedIOException("The body of the request cannot be read", e);
        }
    }

    @Override
    public void replayed() {
        HttpServletResponse response = attributes.getResponse();
        if (response != null) {
            response.setHeader(REPLAYED, "true");
        }
    }

    /** A response that is not kept by the end of the dispatch is not kept at all. */
    @Override
    public void recordResponse(UUID operation, Consumer<Response> receiver) {
        attributes.registerDestructionCallback(ATTRIBUTE, this::drop, RequestAttributes.SCOPE_REQUEST);
        wanted.merge(operation, receiver, Consumer::andThen);
    }

    /** Returns whether an operation was applied whose response is not complete. */
    boolean wantsResponse() {
        return !wanted.isEmpty();
    }

    /** Returns the same, unless the response is a view's, such as that of another handler. */
    boolean wantsValue() {
        return !wanted.isEmpty() && !view;
    }

    /** Returns whether a response belongs to one operation, and is not an error of the server. */
    boolean canKeep(int status) {
        return wanted.size() == 1 && status < 500;
    }

    /** Passes on that the response is not kept. */
    void drop() {
        complete(Response::notKept);
    }

    /** Passes on the response to the operation. */
    void complete(Function<UUID, Response> response) {
        for (Map.Entry<UUID, Consumer<Response>> its : wanted.entrySet()) {
            its.getValue().accept(response.apply(its.getKey()));
        }
        wanted.clear();
    }

    /** Returns the headers that were set since the guarded call began. */
    Map<String, Collection<String>> headersOf(HttpServletResponse response) {
        Map<String, Collection<String>> set = headers(response);
        set.entrySet().removeAll(before.entrySet());
        return set;
    }

    private static Map<String, Collection<String>> headers(HttpServletResponse response) {
        Map<String, Collection<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String name : response.getHeaderNames()) {
            headers.put(name, List.copyOf(response.getHeaders(name)));
        }
        return headers;
    }

    /** Records that a view renders the response. */
    void setView() {
        view = true;
    }

    boolean hasView() {
        return view;
    }

    @Override
    public void follow(Execution operation) {
        followed.add(operation);
    }
}
