package dev.fbf.spring.jdbc;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.Counters;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registry of the open scopes. Opened lazily: an application without scopes in filter mode creates no files. Thread-safe. */
final class OpenScopes {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private final FbfProperties properties;
    private final Scopes definitions;
    private final Map<String, ScopeClaims> claims = new ConcurrentHashMap<>();
    private final Map<String, Counters> counters = new HashMap<>();
    private final List<NodeStatus.Watcher> watchers = new ArrayList<>();

    /** One node per mode: scopes in filter mode share a directory, scopes in ledger mode are in memory. */
    private final Map<Mode, Node> nodes = new ConcurrentHashMap<>();

    OpenScopes(FbfProperties properties, Scopes definitions) {
        this.properties = properties;
        this.definitions = definitions;
    }

    @Nullable ScopeClaims find(String scope) {
        return claims.get(scope);
    }

    synchronized ScopeClaims open(String scope) {
        ScopeClaims known = claims.get(scope);
        if (known != null) {
            return known;
        }
        ScopeDefinition settings = definitions.of(scope);
        FilterPlan plan = definitions.plan(scope, settings.mode());
        Node node = node(settings.mode());
        ScopeClaims opened = node.scope(scope, plan, settings.retryWindow());
        claims.put(scope, opened);
        log.atInfo()
                .addKeyValue("scope", scope)
                .log(
                        "Guarding scope {} ({} mode) in {}: {}, {} MB",
                        scope,
                        settings.mode().name().toLowerCase(Locale.ROOT),
                        node,
                        settings,
                        String.format(Locale.ROOT, "%.2f", plan.bytes() / 1e6));
        log.atDebug().addKeyValue("scope", scope).log("The filter of scope {}: {}", scope, plan);
        watchers.forEach(watcher -> watcher.openedScope(opened));
        return opened;
    }

    /** Registers the counters of a scope and notifies the watchers. */
    synchronized void opened(String scope, Counters itsCounters) {
        counters.put(scope, itsCounters);
        watchers.forEach(watcher -> watcher.openedCounters(scope, itsCounters));
    }

    synchronized void watch(NodeStatus.Watcher watcher) {
        watchers.add(watcher);
        claims.values().forEach(watcher::openedScope);
        counters.forEach(watcher::openedCounters);
    }

    /** Returns the claims of all open scopes, sorted by name. */
    List<ScopeClaims> all() {
        return claims.values().stream()
                .sorted(Comparator.comparing(ScopeClaims::scope))
                .toList();
    }

    Collection<Node> nodes() {
        return nodes.values();
    }

    /** Returns the directory's ID; null if no open scope is in filter mode. */
    @Nullable UUID nodeId() {
        Node open = nodes.get(Mode.FILTER);
        return open == null ? null : open.id();
    }

    synchronized Node node(Mode mode) {
        Node open = nodes.get(mode);
        if (open == null) {
            open = mode == Mode.LEDGER
                    ? Node.inMemory(properties.maxClaims())
                    : Node.open(
                            properties.directory(),
                            properties.maxClaims(),
                            properties.durability(),
                            properties.afterPowerFailure());
            nodes.put(mode, open);
        }
        return open;
    }
}
