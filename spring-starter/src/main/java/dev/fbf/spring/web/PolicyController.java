package dev.fbf.spring.web;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.method.GuardedMethod;
import dev.fbf.spring.method.GuardedMethods;
import dev.fbf.spring.method.OperationResolver;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Controller that serves the idempotency policy as JSON and HTML, derived from the configuration and the handlers. */
@RestController
final class PolicyController {

    /** Path of the policy, the same in all applications. Problem details link to it, so clients need not know it. */
    static final String PATH = "/idempotency-policy";

    private final FbfProperties properties;
    private final Scopes scopes;
    private final GuardedMethods methods;
    private final OperationResolver callers;
    private final Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers;

    PolicyController(
            FbfProperties properties,
            Scopes scopes,
            GuardedMethods methods,
            OperationResolver callers,
            Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers) {
        this.properties = properties;
        this.scopes = scopes;
        this.methods = methods;
        this.callers = callers;
        this.handlers = handlers;
    }

    @GetMapping(path = PATH, produces = MediaType.TEXT_HTML_VALUE)
    String html() {
        return new PolicyPage(json()).html();
    }

    /**
     * Returns the policy's path for the current request's client; without the host, which a proxy may have changed. Null outside of a
     * request.
     */
    @Nullable URI link() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes
                ? HttpContract.uri(ServletUriComponentsBuilder.fromCurrentServletMapping()
                                .build()
                                .getPath()
                        + PATH)
                : null;
    }

    @GetMapping(path = PATH, produces = MediaType.APPLICATION_JSON_VALUE)
    Policy json() {
        ScopeDefinition usual = scopes.usual();
        List<Policy.Resource> resources = resources();
        boolean compares = resources.stream().anyMatch(Policy.Resource::compared);
        return new Policy(
                properties.key().header(),
                key(properties.key(), usual),
                usual.retryWindow(),
                "A retry of an applied operation gets the first response, or 204, with the header Idempotent-Replayed:"
                        + " true.",
                compares
                        ? "A retry with another method, path, query or body than the first request is refused where"
                                + " requests are compared; of a body, the first "
                                + DigestedBody.MAX + " bytes."
                        : "A retry's payload is not compared with that of the first request.",
                HttpContract.problems(compares).stream()
                        .map(Policy.Response::of)
                        .toList(),
                resources);
    }

    private Policy.Key key(FbfProperties.Key key, ScopeDefinition usual) {
        return new Policy.Key(
                "A structured-field string (RFC 9651), in quotes; or the bare characters without spaces, quotes,"
                        + " commas, semicolons, parentheses and backslashes.",
                "\"018f3f2e-7c5a-7d3b-9c1a-5b7e2f4d6a80\"",
                1,
                OperationResolver.MAX_KEY_LENGTH,
                (key.requireTime()
                                ? "A key must be a UUID of version 7, or a ULID, created when the operation begins."
                                : "A key should be a UUID of version 7, or a ULID, created when the operation begins.")
                        + " A key that is older than the window is refused, and never applied again.",
                usual.maxSkew());
    }

    private List<Policy.Resource> resources() {
        return handlers.get().entrySet().stream()
                .flatMap(entry -> resources(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparing(Policy.Resource::path).thenComparing(Policy.Resource::method))
                .toList();
    }

    private Stream<Policy.Resource> resources(RequestMappingInfo mapping, HandlerMethod handler) {
        GuardedMethod method = methods.find(handler.getMethod(), handler.getBeanType());
        MethodParameter argument = KeyedHandlers.keyArgument(handler);
        if (method == null && argument == null) {
            return Stream.empty();
        }
        boolean required = method == null ? argument != null && !argument.isOptional() : method.keyRequired();
        Set<RequestMethod> verbs = mapping.getMethodsCondition().getMethods();
        return mapping.getPatternValues().stream()
                .flatMap(path -> (verbs.isEmpty()
                                ? Stream.of("any")
                                : verbs.stream().map(RequestMethod::name))
                        .map(verb -> resource(verb, path, method, required)));
    }

    /** @param method null if a handler takes the key and chooses the scope itself */
    private Policy.Resource resource(String verb, String path, @Nullable GuardedMethod method, boolean required) {
        ScopeDefinition settings = method == null ? scopes.usual() : scopes.of(method.scope());
        boolean inHeader = method == null || method.hasKeyInHeader();
        String ofHeader = required ? "required in the header" : "in the header; without it, each request counts";
        return new Policy.Resource(
                verb,
                path,
                method == null ? "" : method.scope(),
                inHeader ? ofHeader : "named by the request itself",
                inHeader && properties.fingerprint().enabled(),
                method == null ? callers.ownerOfRequest() : callers.owner(method),
                settings.requireTime(),
                settings.retryWindow(),
                settings.maxSkew());
    }
}
