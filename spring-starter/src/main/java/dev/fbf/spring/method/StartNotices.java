package dev.fbf.spring.method;

import dev.fbf.core.DurationText;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log lines at startup about guarded methods and properties. */
final class StartNotices {

    private static final Logger log = LoggerFactory.getLogger(StartNotices.class);

    private StartNotices() {}

    static void log(FbfProperties properties, Scopes scopes, Declarations declarations, GuardedMethods methods) {
        warnOfUnknownScopes(properties, declarations);
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
}
