package dev.fbf.spring.method;

import dev.fbf.core.DurationText;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/** Log lines at startup about guarded methods and properties. */
final class StartNotices {

    private static final Logger log = LoggerFactory.getLogger(StartNotices.class);

    /** True if Spring Security is on the class path. */
    private static final boolean LOGINS = ClassUtils.isPresent(
            "org.springframework.security.core.context.SecurityContextHolder", StartNotices.class.getClassLoader());

    /** Name of an annotation of Spring for GraphQL, which is optional. */
    private static final String SCHEMA_MAPPING = "org.springframework.graphql.data.method.annotation.SchemaMapping";

    private StartNotices() {}

    static void log(FbfProperties properties, Scopes scopes, Declarations declarations, GuardedMethods methods) {
        warnOfUnknownScopes(properties, declarations);
        logHandlersWithoutBody(properties, scopes, methods);
        logServicesWithoutBody(methods);
        warnOfGraphQlErrors(methods);
        logCallers(methods);
        logHandlersOfLogins(methods);
        logDefaultWindows(scopes, declarations, methods);
    }

    /** Logs scopes whose keys the application makes: a job or a redelivery can come later than a client's retry. */
    private static void logDefaultWindows(Scopes scopes, Declarations declarations, GuardedMethods methods) {
        List<String> withDefault = Stream.concat(
                        declarations.programs().stream(),
                        methods.annotated().stream()
                                .filter(method -> !method.handlesRequests() && !method.hasKeyInHeader())
                                .map(GuardedMethod::settings))
                .map(OperationSettings::scope)
                .filter(scope -> scopes.of(scope).hasDefaultWindow())
                .distinct()
                .sorted()
                .toList();
        if (!withDefault.isEmpty()) {
            log.info(
                    "The scopes {} forget operations after fbf.retry-window, which is {}. If a job or a message can repeat"
                            + " an operation later, set retryWindow where the scope is declared.",
                    withDefault,
                    DurationText.of(scopes.usual().retryWindow()));
        }
    }

    /**
     * Logs a warning about settings of unknown scopes. It is not an error: the settings may be shared with another application, or belong
     * to a lazily created bean.
     */
    private static void warnOfUnknownScopes(FbfProperties properties, Declarations declarations) {
        List<String> scopes = declarations.all().stream()
                .map(OperationSettings::scope)
                .distinct()
                .toList();
        properties.scopes().keySet().stream()
                .filter(scope -> !scopes.contains(scope))
                .forEach(scope -> log.atWarn()
                        .addKeyValue("scope", scope)
                        .log(
                                "{} is set, but no scope found so far has the name {}; the scopes found are {}. Check the"
                                        + " name: a scope without its own settings uses those of all scopes.",
                                ScopeDefinition.property(scope),
                                scope,
                                scopes.isEmpty() ? "none" : scopes));
    }

    /** Logs handlers whose retries may get 204 without a body, so that authors of clients know before production. */
    private static void logHandlersWithoutBody(FbfProperties properties, Scopes scopes, GuardedMethods methods) {
        boolean kept = properties.responses().enabled();
        List<String> withoutOnDuplicate = methods.annotated().stream()
                .filter(method -> method.handlesRequests()
                        && (!kept || scopes.of(method.scope()).mode() == Mode.FILTER)
                        && method.onDuplicate() == null
                        && method.method().getReturnType() != void.class)
                .map(method -> method.method().getDeclaringClass().getSimpleName() + "."
                        + method.method().getName())
                .toList();
        if (withoutOnDuplicate.isEmpty()) {
            return;
        }
        log.info(
                "Retries of {} get {}204 without a body. To return a body always, name an onDuplicate method or {}.",
                withoutOnDuplicate,
                kept ? "the first response while it is kept, and then " : "",
                kept ? "leave the scope in ledger mode" : "remove fbf.responses.enabled=false");
    }

    /**
     * Logs guarded methods that are not handlers but read the key from the request, for example services that functional handlers call.
     * Their responses are not kept, because a method's result is only a part of the response.
     */
    private static void logServicesWithoutBody(GuardedMethods methods) {
        List<String> services = methods.annotated().stream()
                .filter(method -> method.hasKeyInHeader() && throwsForDuplicates(method) && !isOfGraphQl(method))
                .map(StartNotices::name)
                .toList();
        if (!services.isEmpty()) {
            log.info(
                    "Retries of {} throw a DuplicateOperationException, and clients get 204 without a body: responses"
                            + " are kept for request handlers only. To return a body, name an onDuplicate method, or"
                            + " catch that exception.",
                    services);
        }
    }

    /** Logs a warning about GraphQL methods, because Spring for GraphQL returns unknown exceptions as INTERNAL_ERROR. */
    private static void warnOfGraphQlErrors(GuardedMethods methods) {
        List<String> failing = methods.annotated().stream()
                .filter(method -> throwsForDuplicates(method) && isOfGraphQl(method))
                .map(StartNotices::name)
                .toList();
        if (!failing.isEmpty()) {
            log.warn(
                    "Retries of {} throw a DuplicateOperationException, and clients get an error of GraphQL: responses"
                            + " are kept for request handlers only. To return a result, name an onDuplicate method.",
                    failing);
        }
    }

    private static boolean throwsForDuplicates(GuardedMethod method) {
        return !method.handlesRequests()
                && method.onDuplicate() == null
                && method.method().getReturnType() != void.class;
    }

    private static boolean isOfGraphQl(GuardedMethod method) {
        return MergedAnnotations.from(method.method(), MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
                .isPresent(SCHEMA_MAPPING);
    }

    /**
     * Logs whether the login is part of an operation's name. Only the application's author knows whether a redelivery without the login is
     * the same operation.
     */
    private static void logCallers(GuardedMethods methods) {
        if (!LOGINS) {
            return;
        }
        Map<Boolean, List<String>> byLogin = methods.annotated().stream()
                .filter(method -> !method.handlesRequests() && !method.namesCaller())
                .collect(Collectors.partitioningBy(
                        GuardedMethod::belongsToLogin, Collectors.mapping(StartNotices::name, Collectors.toList())));
        byLogin.forEach((ofLogin, names) -> {
            if (!names.isEmpty()) {
                log.info(
                        ofLogin
                                ? "The login is part of the operation's name in {}, because the client sends the key."
                                : "The login is not part of the operation's name in {}, except for the key of a request.",
                        names);
            }
        });
    }

    /** Logs how many handlers distinguish clients by their logins only. Security, and not fbf, decides which of them need a login. */
    private static void logHandlersOfLogins(GuardedMethods methods) {
        long handlers = Stream.concat(
                        methods.annotated().stream()
                                .filter(method -> method.handlesRequests() && method.belongsToLogin())
                                .map(GuardedMethod::method),
                        methods.takingKeys().stream())
                .distinct()
                .count();
        if (handlers > 0) {
            log.info(
                    "The keys of {} guarded handlers are per login. All requests without a login that fbf knows share"
                            + " one key space: a client that sends another client's key gets that client's response. If"
                            + " your application distinguishes clients, for example by an API key, name the caller with"
                            + " caller = \"#…\" in @IdempotentIncrement, a CallerResolver bean, or"
                            + " IdempotentScope.caller(…).",
                    handlers);
        }
    }

    private static String name(GuardedMethod method) {
        return method.method().getDeclaringClass().getSimpleName() + "."
                + method.method().getName()
                + Arrays.stream(method.method().getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
