package dev.fbf.spring.method;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/** What is logged of the methods and properties that a start has found. */
final class StartNotices {

    private static final Logger log = LoggerFactory.getLogger(StartNotices.class);

    /** Whether there can be a login. */
    private static final boolean LOGINS = ClassUtils.isPresent(
            "org.springframework.security.core.context.SecurityContextHolder", StartNotices.class.getClassLoader());

    private StartNotices() {}

    static void log(FbfProperties properties, Scopes scopes, Declarations declarations, GuardedMethods methods) {
        warnOfUnknownScopes(properties, declarations);
        tellOfAnswers(properties, scopes, methods);
        tellOfServices(methods);
        tellOfLogins(methods);
    }

    /** They may be those of another application with the same settings, or of a bean that is not made yet. */
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
                                "{} is set, and no guarded method found so far has the scope {}: those found have {}. If that is"
                                        + " a mistake, its settings are those for all.",
                                ScopeDefinition.property(scope),
                                scope,
                                scopes));
    }

    /** Clients that expect a body should not learn of its absence in production. */
    private static void tellOfAnswers(FbfProperties properties, Scopes scopes, GuardedMethods methods) {
        List<String> withoutOnDuplicate = methods.annotated().stream()
                .filter(method -> method.handlesRequests()
                        && scopes.of(method.scope()).mode() == Mode.FILTER
                        && method.onDuplicate() == null
                        && method.method().getReturnType() != void.class)
                .map(method -> method.method().getDeclaringClass().getSimpleName() + "."
                        + method.method().getName())
                .toList();
        if (withoutOnDuplicate.isEmpty()) {
            return;
        }
        log.info(
                "Retries of {} get {}204 without a body. For the same response always, name an onDuplicate method or leave"
                        + " the scope in ledger mode.",
                withoutOnDuplicate,
                !properties.responses().enabled()
                        ? ""
                        : "the first response, while memory lasts and until a restart, and then ");
    }

    /** Called by functional handlers, say, whose responses are not kept: the method's own would be only a part of one. */
    private static void tellOfServices(GuardedMethods methods) {
        List<String> services = methods.annotated().stream()
                .filter(method -> method.hasKeyInHeader()
                        && !method.handlesRequests()
                        && method.onDuplicate() == null
                        && method.method().getReturnType() != void.class)
                .map(StartNotices::name)
                .toList();
        if (!services.isEmpty()) {
            log.info(
                    "Retries of {} throw a DuplicateOperationException, and clients get 204 without a body: these are not handlers of"
                            + " requests, whose responses are kept. For a body, name an onDuplicate method, or catch that exception.",
                    services);
        }
    }

    /** A redelivery without the login must be the same operation, or not: the application's author knows which. */
    private static void tellOfLogins(GuardedMethods methods) {
        if (!LOGINS) {
            return;
        }
        Map<String, List<String>> byCaller = methods.annotated().stream()
                .filter(method -> !method.handlesRequests())
                .collect(Collectors.groupingBy(
                        StartNotices::callerOf, Collectors.mapping(StartNotices::name, Collectors.toList())));
        if (!byCaller.isEmpty()) {
            log.info(
                    "The login is not part of the operation's name in {}; it is in {}, where the key comes in a header; it is as"
                            + " caller= says in {}. A CallerResolver bean counts as caller=.",
                    byCaller.getOrDefault("none", List.of()),
                    byCaller.getOrDefault("login", List.of()),
                    byCaller.getOrDefault("expression", List.of()));
        }
    }

    private static String callerOf(GuardedMethod method) {
        if (method.namesCaller()) {
            return "expression";
        }
        return method.belongsToLogin() ? "login" : "none";
    }

    private static String name(GuardedMethod method) {
        return method.method().getDeclaringClass().getSimpleName() + "."
                + method.method().getName()
                + Arrays.stream(method.method().getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
