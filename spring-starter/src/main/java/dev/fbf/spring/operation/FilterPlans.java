package dev.fbf.spring.operation;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.spring.FbfProperties;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Sizes the filters of scopes. Thread-safe. */
public final class FilterPlans {

    private final FbfProperties properties;
    private final GuardedMethods methods;
    private final UnaryOperator<ScopeSettings> adapted;
    private final Map<Sized, FilterPlan> plans = new ConcurrentHashMap<>();

    /**
     * Those that nothing is set for share a plan: to derive one takes a while.
     *
     * @param scope the scope's name; empty if nothing is set for it
     */
    private record Sized(String scope, boolean requests) {}

    /**
     * Refuses what would not fit anyway; which scopes need requests is not known yet.
     *
     * @param adapted changes the settings of each scope
     */
    public FilterPlans(FbfProperties properties, GuardedMethods methods, UnaryOperator<ScopeSettings> adapted) {
        this.properties = properties;
        this.methods = methods;
        this.adapted = adapted;
        plan(new Sized("", false));
        properties.scopes().keySet().forEach(scope -> plan(new Sized(scope, false)));
    }

    public FilterPlan of(String scope) {
        return plan(new Sized(properties.scopes().containsKey(scope) ? scope : "", remembersRequests(scope)));
    }

    private FilterPlan plan(Sized sized) {
        return plans.computeIfAbsent(sized, key -> {
            ScopeSettings settings = settings(key.scope);
            settings.validate();
            return settings.plan(key.requests);
        });
    }

    private ScopeSettings settings(String scope) {
        return adapted.apply(scope.isEmpty() ? ScopeSettings.ofAll(properties) : ScopeSettings.of(scope, properties));
    }

    /** Only keys in the header name requests: scopes without them need no memory for that. Which scopes handlers use is not known. */
    private boolean remembersRequests(String scope) {
        return settings(scope).filtersRequests()
                && ((methods.isOfProgram(scope) && !methods.takingKeys().isEmpty())
                        || methods.settings().stream()
                                .anyMatch(settings -> settings.scope().equals(scope) && settings.comparesRequests()));
    }
}
