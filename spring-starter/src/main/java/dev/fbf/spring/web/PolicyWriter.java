package dev.fbf.spring.web;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.method.KeyHeader;
import dev.fbf.spring.method.OperationResolver;
import dev.fbf.spring.operation.GuardedMethod;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.ScopeSettings;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.core.MethodParameter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/** Writes down what clients may rely on, from the configuration and the handlers that there are. */
final class PolicyWriter {

    private final FbfProperties properties;
    private final GuardedMethods methods;
    private final OperationResolver callers;
    private final Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers;

    PolicyWriter(
            FbfProperties properties,
            GuardedMethods methods,
            OperationResolver callers,
            Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers) {
        this.properties = properties;
        this.methods = methods;
        this.callers = callers;
        this.handlers = handlers;
    }

    Policy write() {
        ScopeSettings usual = ScopeSettings.ofAll(properties);
        List<Policy.Resource> resources = resources();
        boolean compares = resources.stream().anyMatch(Policy.Resource::compared);
        return new Policy(
                properties.key().header(),
                key(properties.key(), usual),
                usual.retryWindow(),
                "A retry of an applied operation gets 2xx and the header Idempotent-Replayed: true.",
                compares
                        ? "A retry with another method, path, query or body than the first request is refused where requests"
                                + " are compared; of a body, the first "
                                + FingerprintedRequest.MAX_BODY + " bytes."
                        : "A retry's payload is not compared with that of the first request.",
                Problem.all(compares).stream().map(Policy.Response::of).toList(),
                resources);
    }

    private Policy.Key key(FbfProperties.Key key, ScopeSettings usual) {
        return new Policy.Key(
                "A structured-field string (RFC 9651), in quotes; or the bare characters without spaces, quotes,"
                        + " commas, semicolons, parentheses and backslashes.",
                "\"018f3f2e-7c5a-7d3b-9c1a-5b7e2f4d6a80\"",
                1,
                KeyHeader.MAX_LENGTH,
                (key.requireTime()
                                ? "A key must be a UUID of version 7, or a ULID, made when the operation begins."
                                : "A key should be a UUID of version 7, or a ULID, made when the operation begins.")
                        + " One that is older than the window is refused, and never applied again.",
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
        BiFunction<String, String, Policy.Resource> resource;
        if (method != null) {
            resource = (verb, path) -> resource(verb, path, method);
        } else if (argument != null) {
            resource = (verb, path) -> resource(verb, path, argument);
        } else {
            return Stream.empty();
        }
        Set<String> verbs = mapping.getMethodsCondition().getMethods().isEmpty()
                ? Set.of("any")
                : Set.copyOf(mapping.getMethodsCondition().getMethods().stream()
                        .map(Enum::name)
                        .toList());
        return mapping.getPatternValues().stream()
                .flatMap(path -> verbs.stream().map(verb -> resource.apply(verb, path)));
    }

    private Policy.Resource resource(String verb, String path, GuardedMethod method) {
        ScopeSettings settings = ScopeSettings.of(method.scope(), properties);
        return new Policy.Resource(
                verb,
                path,
                method.scope(),
                key(method),
                method.hasKeyInHeader() && properties.fingerprint().enabled(),
                callers.owner(method),
                settings.requireTime(),
                settings.retryWindow(),
                settings.maxSkew());
    }

    /** The handler decides on the scope. */
    private Policy.Resource resource(String verb, String path, MethodParameter argument) {
        ScopeSettings settings = ScopeSettings.ofAll(properties);
        return new Policy.Resource(
                verb,
                path,
                "",
                keyInHeader(!argument.isOptional()),
                properties.fingerprint().enabled(),
                callers.ownerOfRequest(),
                settings.requireTime(),
                settings.retryWindow(),
                settings.maxSkew());
    }

    private static String key(GuardedMethod method) {
        return method.hasKeyInHeader() ? keyInHeader(method.keyRequired()) : "named by the request itself";
    }

    private static String keyInHeader(boolean required) {
        return required ? "required in the header" : "in the header; without it, each request counts";
    }
}
