package dev.fbf.spring.transaction;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/** The guards, and the lifecycle of this node from the first opened scope to the end of the last operation. Thread-safe. */
final class Guards implements OperationGuards, SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private static final Duration DRAIN_POLL = Duration.ofMillis(100);

    private final GuardedDatabases databases;
    private final Scopes definitions;
    final Duration settleTimeout;
    private final Map<String, NodeStatus.OpenScope> scopes = new ConcurrentHashMap<>();
    private final Map<OperationSettings, SqlOperationGuard> operations = new ConcurrentHashMap<>();
    private final Map<String, Counters> counters = new HashMap<>();
    private final List<NodeStatus.Watcher> watchers = new ArrayList<>();
    final int maxClaims;

    volatile State state = State.NEW;

    /*
     * NEW, STOPPED or STOPPING -> RUNNING      start
     * RUNNING -> STOPPING -> STOPPED           stop; the second step follows when all operations have ended
     * * -> DESTROYED                           destroy
     */
    enum State {
        NEW,
        RUNNING,
        STOPPING,
        STOPPED,
        DESTROYED;

        /** Returns whether new operations are refused. */
        boolean refuses() {
            return compareTo(STOPPING) >= 0;
        }
    }

    /**
     * @param settleTimeout the longest wait of a request for the settlement of an operation in doubt
     */
    Guards(FbfProperties properties, GuardedDatabases databases, Scopes definitions, Duration settleTimeout) {
        this.databases = databases;
        this.definitions = definitions;
        this.settleTimeout = settleTimeout;
        maxClaims = properties.maxClaims();
        databases.onOpened = this::opened;
        definitions.requireValid(ScopeDefinition::mode);
    }

    /** Opens the scopes and their databases, and registers this process there. */
    @Override
    public void openAll(Collection<OperationSettings> declared) {
        declared.forEach(settings -> openScope(settings.scope()));
        declared.forEach(this::of);
        declared.forEach(this::register);
        databases.modes().forEach(GuardedMode::started);
    }

    /** Returns whether a transaction of this thread, of any manager, holds an operation. */
    boolean isHeldByThisThread(OperationId id) {
        return databases.all().stream().anyMatch(database -> database.transactions.hold(id));
    }

    @Override
    public OperationGuard of(OperationSettings settings) {
        SqlOperationGuard known = operations.get(settings);
        try {
            return known == null ? open(settings) : known;
        } catch (RuntimeException e) {
            // happens at the first call of a lazily created bean
            throw SchemaMigration.isUnreachable(e) ? Refusals.of(Refusal.UNREACHABLE, settings.scope(), e) : e;
        }
    }

    /** Returns the guards of a scope; none if it is not open. */
    List<SqlOperationGuard> of(String scope) {
        return operations.values().stream()
                .filter(guard -> guard.settings().scope().equals(scope))
                .toList();
    }

    private SqlOperationGuard open(OperationSettings settings) {
        if (state.refuses()) {
            throw Refusals.of(Refusal.STOPPED, settings.scope(), null);
        }
        ScopeDefinition definition = definitions.of(settings.scope());
        openScope(settings.scope());
        SqlOperationGuard opened = databases
                .modeOf(settings.scope())
                .guard(new SqlOperationGuard.Guarded(this, settings, databases.of(settings), definition));
        operations.put(settings, opened);
        return opened;
    }

    /** Opens the scope and database of operations, and registers this process there. */
    SqlOperationGuard registered(OperationSettings settings) {
        SqlOperationGuard known = operations.get(settings);
        SqlOperationGuard guard = known == null ? open(settings) : known;
        register(settings);
        return guard;
    }

    /**
     * Registers this process in the scope and database of operations.
     *
     * @throws dev.fbf.spring.operation.StartException if another process holds the scope
     */
    void register(OperationSettings settings) {
        databases.of(settings).register(settings, definitions.of(settings.scope()));
    }

    /** Registers the counters of a scope whose increments are applied in groups, and notifies the watchers. */
    synchronized void opened(String scope, Counters itsCounters) {
        counters.put(scope, itsCounters);
        watchers.forEach(watcher -> watcher.openedCounters(scope, itsCounters));
    }

    private synchronized void opened(GuardedDatabase database) {
        watchers.forEach(watcher -> watcher.openedDatabase(database.name, database.store()));
    }

    synchronized void watch(NodeStatus.Watcher watcher) {
        watchers.add(watcher);
        scopes.values().forEach(watcher::openedScope);
        counters.forEach(watcher::openedCounters);
        databases.all().forEach(database -> watcher.openedDatabase(database.name, database.store()));
    }

    /** Returns all open scopes, sorted by name. */
    List<NodeStatus.OpenScope> scopes() {
        return scopes.values().stream()
                .sorted(Comparator.comparing(NodeStatus.OpenScope::name))
                .toList();
    }

    @Override
    public void start() {
        state = State.RUNNING;
        databases.all().forEach(GuardedDatabase::resume);
    }

    /** Stops last: web servers and message listeners drain before, so that all operations that they accepted are applied. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    /** Refuses new operations, and starts a thread that waits for those being applied. */
    @Override
    public void stop(Runnable callback) {
        state = State.STOPPING;
        Thread draining = new Thread(
                () -> {
                    drain();
                    if (state == State.STOPPING) {
                        databases.all().forEach(GuardedDatabase::end);
                        state = State.STOPPED;
                    }
                    callback.run();
                },
                "fbf-drain");
        draining.setDaemon(true);
        draining.start();
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    public boolean isRunning() {
        return state == State.RUNNING || state == State.STOPPING;
    }

    @Override
    public void destroy() {
        state = State.DESTROYED;
        synchronized (this) {
            if (databases.modes().stream().noneMatch(GuardedMode::isApplying)) {
                databases.all().forEach(GuardedDatabase::end); // after a failed start, Spring does not call stop()
            }
            databases.all().forEach(GuardedDatabase::close);
            databases.modes().forEach(GuardedMode::close);
        }
    }

    /** Waits until no operation is being applied. Spring limits the wait (spring.lifecycle.timeout-per-shutdown-phase). */
    private void drain() {
        while (state == State.STOPPING && databases.modes().stream().anyMatch(GuardedMode::isApplying)) {
            log.debug("Operations are still being applied.");
            try {
                TimeUnit.NANOSECONDS.sleep(DRAIN_POLL.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void openScope(String scope) {
        if (!scopes.containsKey(scope) && openFirst(scope)) {
            databases.all().forEach(GuardedDatabase::scopeOpened);
        }
    }

    private synchronized boolean openFirst(String scope) {
        if (scopes.containsKey(scope)) {
            return false;
        }
        NodeStatus.OpenScope opened = databases.modeOf(scope).open(scope, definitions.of(scope));
        scopes.put(scope, opened);
        watchers.forEach(watcher -> watcher.openedScope(opened));
        return true;
    }
}
