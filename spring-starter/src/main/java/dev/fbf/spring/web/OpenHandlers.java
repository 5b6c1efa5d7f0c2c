package dev.fbf.spring.web;

import dev.fbf.spring.method.GuardedMethod;
import dev.fbf.spring.method.GuardedMethods;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * Log of the guarded handlers that accept requests without a login. All such requests count as one caller, which is unexpected in an
 * application with its own authentication, such as API keys.
 */
final class OpenHandlers implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(OpenHandlers.class);

    private static final String SPRING = "org.springframework.security.access.";
    private static final String JSR_250 = "jakarta.annotation.security.";

    /** Annotations of method security. Within one set, an annotation of the method overrides one of the class. */
    private static final List<Set<String>> RULES = List.of(
            Set.of(SPRING + "prepost.PreAuthorize"),
            Set.of(SPRING + "prepost.PostAuthorize"),
            Set.of(SPRING + "annotation.Secured"),
            Set.of(JSR_250 + "RolesAllowed", JSR_250 + "DenyAll", JSR_250 + "PermitAll"));

    /** Expressions and roles that permit anonymous requests. The result of other expressions is not known before a call. */
    private static final Pattern ANYBODY = Pattern.compile("permitAll(\\(\\))?|isAnonymous\\(\\)|true|(ROLE_)?ANONYMOUS"
            + "|IS_AUTHENTICATED_ANONYMOUSLY|has(Any)?(Role|Authority)\\('(ROLE_)?ANONYMOUS'\\)");

    private final GuardedMethods methods;
    private final Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers;
    private final @Nullable AnonymousAccess withoutLogin;

    /** @param withoutLogin null without Spring Security */
    OpenHandlers(
            GuardedMethods methods,
            Supplier<Map<RequestMappingInfo, HandlerMethod>> handlers,
            @Nullable AnonymousAccess withoutLogin) {
        this.methods = methods;
        this.handlers = handlers;
        this.withoutLogin = withoutLogin;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> open = handlers.get().entrySet().stream()
                .filter(entry -> isOpen(entry.getValue()))
                .flatMap(entry -> open(entry.getKey()))
                .distinct()
                .sorted()
                .toList();
        if (!open.isEmpty()) {
            log.info(
                    "Requests reach {} without a login that fbf knows: all these requests share one key space, and a"
                            + " client that sends another client's key gets that client's response. If your application"
                            + " distinguishes clients, for example by an API key, name the caller with caller = \"#…\""
                            + " in @IdempotentIncrement, a CallerResolver bean, or IdempotentScope.caller(…).",
                    open);
        }
    }

    private boolean isOpen(HandlerMethod handler) {
        GuardedMethod method = methods.find(handler.getMethod(), handler.getBeanType());
        boolean belongsToLogin =
                KeyedHandlers.keyArgument(handler) != null || (method != null && method.belongsToLogin());
        return belongsToLogin && !isSecured(handler);
    }

    private boolean isSecured(HandlerMethod handler) {
        return withoutLogin != null
                && withoutLogin.hasRulesOf(handler)
                && RULES.stream()
                        .flatMap(names -> Stream.of(handler.getMethod(), handler.getBeanType())
                                .flatMap(element ->
                                        MergedAnnotations.from(element, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
                                                .stream())
                                .filter(annotation ->
                                        names.contains(annotation.getType().getName()))
                                .limit(1))
                        .anyMatch(OpenHandlers::needsLogin);
    }

    private static boolean needsLogin(MergedAnnotation<?> rule) {
        return switch (rule.getType().getSimpleName()) {
            case "DenyAll" -> true;
            case "PermitAll" -> false;
            case "Secured", "RolesAllowed" ->
                Stream.of(rule.getStringArray("value"))
                        .noneMatch(role -> ANYBODY.matcher(role).matches());
            default -> !ANYBODY.matcher(rule.getString("value").strip()).matches();
        };
    }

    private Stream<String> open(RequestMappingInfo mapping) {
        List<String> verbs = mapping.getMethodsCondition().getMethods().stream()
                .map(RequestMethod::name)
                .toList();
        return mapping.getPatternValues().stream()
                .flatMap(path -> (verbs.isEmpty() ? Stream.of("POST") : verbs.stream())
                        .filter(verb -> withoutLogin == null
                                || withoutLogin.permits(verb, path.replaceAll("\\{[^/]*}|\\*+", "x")))
                        .map(verb -> verbs.isEmpty() ? path : verb + " " + path));
    }
}
