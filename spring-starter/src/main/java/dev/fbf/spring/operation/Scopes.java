package dev.fbf.spring.operation;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Definitions of all scopes, each resolved once, with the sizes of their filters. Thread-safe. */
public final class Scopes {

    private final FbfProperties properties;
    private final InstantSource clock;
    private final Declarations declarations;
    private final ScopeDefinition usual;
    private final Map<String, ScopeDefinition> byName = new ConcurrentHashMap<>();
    private final Map<Sized, FilterPlan> plans = new ConcurrentHashMap<>();

    /**
     * What a filter's size depends on. Scopes without settings of their own share a plan: to derive one takes a while.
     *
     * @param scope empty for those
     */
    private record Sized(String scope, Mode mode, boolean requests) {}

    /**
     * @param clock the clock against which the times in keys are checked
     */
    public Scopes(FbfProperties properties, InstantSource clock, Declarations declarations) {
        this.properties = properties;
        this.clock = clock;
        this.declarations = declarations;
        usual = new ScopeDefinition("", properties, clock);
    }

    public ScopeDefinition of(String scope) {
        ScopeDefinition known = byName.get(scope);
        return known != null
                ? known
                : byName.computeIfAbsent(scope, name -> new ScopeDefinition(name, properties, clock));
    }

    /** Returns the definition of scopes without settings of their own. */
    public ScopeDefinition usual() {
        return usual;
    }

    /** The modes of all scopes. */
    public Set<Mode> modes() {
        Set<Mode> modes = EnumSet.of(usual.mode());
        properties.scopes().keySet().forEach(scope -> modes.add(of(scope).mode()));
        return modes;
    }

    /**
     * Sizes the filter of a scope.
     *
     * @param mode decides on its operations: that of Cassandra's lanes is FILTER, since their filter remembers the whole window
     */
    public FilterPlan plan(String scope, Mode mode) {
        return plan(scope, mode, remembersRequests(scope, mode));
    }

    private FilterPlan plan(String scope, Mode mode, boolean requests) {
        ScopeDefinition definition = of(scope);
        return plans.computeIfAbsent(new Sized(definition.hasOwn() ? scope : "", mode, requests), key -> {
            definition.validate(mode);
            return definition.plan(mode, requests);
        });
    }

    /**
     * Checks that all values are valid and fit a filter. Which filters remember requests is not known yet.
     *
     * @param modes the mode of a scope
     * @throws InvalidConfigurationPropertyValueException if a value is not
     */
    public void requireValid(Function<ScopeDefinition, Mode> modes) {
        usual.validate(modes.apply(usual));
        properties.scopes().keySet().forEach(scope -> of(scope).validate(modes.apply(of(scope))));
        PropertyChecks.checkAll(properties);
        plan("", modes.apply(usual), false);
        properties.scopes().keySet().forEach(scope -> plan(scope, modes.apply(of(scope)), false));
    }

    /** Only keys in the header name requests: scopes without them need no memory for that. */
    private boolean remembersRequests(String scope, Mode mode) {
        return of(scope).filtersRequests(mode) && declarations.mayCompareRequests(scope);
    }
}
