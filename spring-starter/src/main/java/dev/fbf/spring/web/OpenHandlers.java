package dev.fbf.spring.web;

import dev.fbf.spring.declaration.GuardedMethod;
import dev.fbf.spring.declaration.GuardedMethods;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * Logs at start which guarded handlers requests without a login reach: all their callers are one, which the author of an
 * application with an authentication of its own, such as API keys, does not expect.
 */
final class OpenHandlers implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(OpenHandlers.class);

    private final GuardedMethods methods;
    private final Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers;
    private final Access withoutLogin;

    /** The rules of the application's security, as far as they are known. */
    @FunctionalInterface
    interface Access {

        /** Returns whether a request with a method and a path needs no login. */
        boolean permits(String method, String path);
    }

    OpenHandlers(
            GuardedMethods methods, Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers, Access withoutLogin) {
        this.methods = methods;
        this.handlers = handlers;
        this.withoutLogin = withoutLogin;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> open = handlers.get().entrySet().stream()
                .filter(entry -> belongsToLogin(entry.getValue()))
                .flatMap(entry -> open(entry.getKey()))
                .distinct()
                .sorted()
                .toList();
        if (!open.isEmpty()) {
            log.info(
                    "Requests reach {} without a login that fbf knows: they share one key space, and a client that sends another's key"
                            + " gets that one's response. If your application tells its clients apart, by an API key, say, name the"
                            + " caller with caller = \"#…\" in @IdempotentIncrement.",
                    open);
        }
    }

    private boolean belongsToLogin(HandlerMethod handler) {
        GuardedMethod method = methods.find(handler.getMethod(), handler.getBeanType());
        return method != null && method.belongsToLogin() && !isSecured(handler);
    }

    /** An expression of method security may permit anybody; that is not known. */
    private static boolean isSecured(HandlerMethod handler) {
        return Stream.of(handler.getMethod(), handler.getBeanType())
                .flatMap(element ->
                        MergedAnnotations.from(element, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY).stream())
                .map(annotation -> annotation.getType().getName())
                .anyMatch(name -> name.startsWith("org.springframework.security.access.")
                        || name.startsWith("jakarta.annotation.security."));
    }

    private Stream<String> open(RequestMappingInfo mapping) {
        List<String> verbs = mapping.getMethodsCondition().getMethods().stream()
                .map(RequestMethod::name)
                .toList();
        return mapping.getPatternValues().stream()
                .flatMap(path -> (verbs.isEmpty() ? Stream.of("POST") : verbs.stream())
                        .filter(verb -> withoutLogin.permits(verb, path.replaceAll("\\{[^/]*}|\\*+", "x")))
                        .map(verb -> verbs.isEmpty() ? path : verb + " " + path));
    }
}
