package dev.fbf.spring.operation;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Definitions of all scopes and the plans of their filters, each computed once. Thread-safe. */
public final class Scopes {

    private static final Logger log = LoggerFactory.getLogger(Scopes.class);

    private final FbfProperties properties;
    private final InstantSource clock;
    private final Declarations declarations;
    private final ScopeDefinition usual;
    private final Map<String, ScopeDefinition> byName = new ConcurrentHashMap<>();

    /** Shared by scopes with the same requirements, because computing a plan takes a while. */
    private final Map<FilterSizing, FilterPlan> plans = new ConcurrentHashMap<>();

    /** @param clock the clock with which the times of keys are compared */
    Scopes(FbfProperties properties, InstantSource clock, Declarations declarations) {
        this.properties = properties;
        this.clock = clock;
        this.declarations = declarations;
        usual = new ScopeDefinition("", properties, clock, null);
    }

    public ScopeDefinition of(String scope) {
        ScopeDefinition known = byName.get(scope);
        return known != null ? known : byName.computeIfAbsent(scope, this::define);
    }

    private ScopeDefinition define(String scope) {
        return new ScopeDefinition(scope, properties, clock, declarations.retryWindow(scope));
    }

    /** Returns the definition of scopes without their own settings. */
    public ScopeDefinition usual() {
        return usual;
    }

    /** Returns the modes of all configured scopes, including the default. */
    public Set<Mode> modes() {
        Set<Mode> modes = EnumSet.of(usual.mode());
        properties.scopes().keySet().forEach(scope -> modes.add(define(scope).mode()));
        return modes;
    }

    /** Returns whether any scope compares requests. */
    public boolean compareRequests() {
        return usual.comparesRequests()
                || properties.scopes().keySet().stream()
                        .anyMatch(scope -> define(scope).comparesRequests());
    }

    /**
     * Logs a warning about settings of unknown scopes. It is not an error: the settings may be shared with another application, or belong to a
     * lazily created bean.
     */
    public void warnOfUnknown() {
        Set<String> known = new TreeSet<>();
        declarations.all().forEach(settings -> known.add(settings.scope()));
        properties.scopes().keySet().stream()
                .filter(scope -> !known.contains(scope))
                .forEach(scope -> log.atWarn()
                        .addKeyValue("scope", scope)
                        .log(
                                "{} is set, but no scope found so far has the name {}; the scopes found are {}. Check the name: a"
                                        + " scope without its own settings uses those of all scopes.",
                                ScopeDefinition.property(scope),
                                scope,
                                known));
    }

    /** Returns the plan of a scope's filter, in filter mode or for Cassandra's lanes. */
    public FilterPlan plan(String scope) {
        ScopeDefinition definition = of(scope);
        boolean requests = definition.comparesRequests() && declarations.mayCompareRequests(scope);
        definition.validate(Mode.FILTER);
        return plans.computeIfAbsent(definition.sizing(requests), sizing -> definition.plan(requests));
    }

    /**
     * Checks all values, including that filters fit their maximum size. Excludes the memory for requests, because it is not known yet which
     * filters need it.
     *
     * @param modes returns the mode of a scope
     * @throws InvalidConfigurationPropertyValueException if a value is invalid
     */
    public void requireValid(Function<ScopeDefinition, Mode> modes) {
        PropertyChecks.checkAll(properties);
        Stream.concat(Stream.of(usual), properties.scopes().keySet().stream().map(this::define))
                .forEach(scope -> {
                    Mode mode = modes.apply(scope);
                    scope.validate(mode);
                    if (mode == Mode.FILTER) {
                        scope.plan(false);
                    }
                });
    }
}
