package dev.fbf.spring.transaction;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.RecentOperations;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.Counters;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import java.time.Duration;
import java.util.ArrayList;
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
import org.springframework.util.function.SingletonSupplier;

/** Registry of the open scopes, and of the memory that the scopes of a mode share. Thread-safe. */
final class OpenScopes {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private final FbfProperties properties;
    private final Scopes definitions;
    private final Map<String, OpenScope> scopes = new ConcurrentHashMap<>();
    private final Map<String, Counters> counters = new HashMap<>();
    private final List<NodeStatus.Watcher> watchers = new ArrayList<>();

    /** The recent operations of the scopes in ledger mode, created with the first of them. */
    private final SingletonSupplier<RecentOperations> recent = SingletonSupplier.of(RecentOperations::new);

    private final SingletonSupplier<Claims> claims;

    /** The directory of the scopes in filter mode; null until the first of them is opened. */
    private volatile @Nullable Node node;

    OpenScopes(FbfProperties properties, Scopes definitions) {
        this.properties = properties;
        this.definitions = definitions;
        claims = SingletonSupplier.of(() -> new Claims(properties.maxClaims(), recent()));
    }

    /** Returns the recent operations of this process in ledger mode. */
    RecentOperations recent() {
        return recent.obtain();
    }

    /** Returns the claims of this process in ledger mode. */
    Claims claims() {
        return claims.obtain();
    }

    boolean isOpen(String scope) {
        return scopes.containsKey(scope);
    }

    synchronized OpenScope open(String scope) {
        OpenScope known = scopes.get(scope);
        if (known != null) {
            return known;
        }
        ScopeDefinition settings = definitions.of(scope);
        OpenScope opened =
                settings.mode() == Mode.LEDGER ? openInLedgerMode(scope, settings) : openInFilterMode(scope, settings);
        scopes.put(scope, opened);
        watchers.forEach(watcher -> watcher.openedScope(opened));
        return opened;
    }

    private OpenScope openInLedgerMode(String scope, ScopeDefinition settings) {
        Claims all = claims();
        log.atInfo().addKeyValue("scope", scope).log("Guarding scope {} (ledger mode): {}", scope, settings);
        return new OpenScope(scope, Mode.LEDGER, settings.retryWindow(), () -> all.held(scope), null);
    }

    private OpenScope openInFilterMode(String scope, ScopeDefinition settings) {
        FilterPlan plan = definitions.plan(scope);
        Node in = node();
        ScopeClaims opened = in.scope(scope, plan);
        log.atInfo()
                .addKeyValue("scope", scope)
                .log(
                        "Guarding scope {} (filter mode) in {}: {}, {} MB",
                        scope,
                        in,
                        settings,
                        String.format(Locale.ROOT, "%.2f", plan.bytes() / 1e6));
        log.atDebug().addKeyValue("scope", scope).log("The filter of scope {}: {}", scope, plan);
        return new OpenScope(scope, Mode.FILTER, settings.retryWindow(), opened::held, opened);
    }

    /** Returns the claims of a scope in filter mode, which is open. */
    ScopeClaims witnessed(String scope) {
        return requireNonNull(requireNonNull(scopes.get(scope)).witnessed());
    }

    /** Registers the counters of a scope and notifies the watchers. */
    synchronized void opened(String scope, Counters itsCounters) {
        counters.put(scope, itsCounters);
        watchers.forEach(watcher -> watcher.openedCounters(scope, itsCounters));
    }

    synchronized void watch(NodeStatus.Watcher watcher) {
        watchers.add(watcher);
        scopes.values().forEach(watcher::openedScope);
        counters.forEach(watcher::openedCounters);
    }

    /** Returns all open scopes, sorted by name. */
    List<OpenScope> all() {
        return scopes.values().stream()
                .sorted(Comparator.comparing(OpenScope::name))
                .toList();
    }

    /** Returns the open scopes in filter mode. */
    List<ScopeClaims> inFilterMode() {
        List<ScopeClaims> witnessed = new ArrayList<>();
        for (OpenScope scope : all()) {
            if (scope.witnessed() != null) {
                witnessed.add(scope.witnessed());
            }
        }
        return witnessed;
    }

    /** Returns whether all claims of a mode are taken. */
    boolean areFull() {
        Node open = node;
        int most = properties.maxClaims();
        return (open != null && open.held() >= most) || (areInLedgerMode() && claims().held() >= most);
    }

    /** Returns whether operations are being applied, apart from those in doubt. */
    boolean areApplying() {
        Node open = node;
        return (open != null && !open.drain(Duration.ZERO)) || (areInLedgerMode() && claims().held() > 0);
    }

    private boolean areInLedgerMode() {
        return scopes.values().stream().anyMatch(scope -> scope.mode() == Mode.LEDGER);
    }

    /** Returns the directory; null if no open scope is in filter mode. */
    @Nullable Node openNode() {
        return node;
    }

    /** Returns the directory's ID; null if no open scope is in filter mode. */
    @Nullable UUID nodeId() {
        Node open = node;
        return open == null ? null : open.id();
    }

    /** Returns the directory of the scopes in filter mode, and opens it if necessary: an application without such scopes creates no files. */
    synchronized Node node() {
        Node open = node;
        if (open == null) {
            open = Node.open(properties.directory(), properties.maxClaims(), properties.afterPowerFailure());
            node = open;
        }
        return open;
    }
}
