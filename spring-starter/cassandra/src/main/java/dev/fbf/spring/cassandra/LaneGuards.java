package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.cassandra.LaneSettings;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.Scopes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Lanes of each scope. If the application also has a data source, only scopes of {@link CassandraCounters} have lanes; all other operations
 * are applied in transactions. Thread-safe.
 */
final class LaneGuards implements OperationGuards, SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(LaneGuards.class);

    private static final Duration RECOVERY = Duration.ofSeconds(10);
    private static final long POLL_MILLIS = 5;

    private final CqlSession session;
    private final FbfProperties properties;
    private final FbfCassandraProperties own;
    /** Scopes of {@link CassandraCounters}. */
    private final Set<String> declared = ConcurrentHashMap.newKeySet();

    private final Scopes scopes;
    private final @Nullable OperationGuards transactions;
    private final Map<String, LaneCounters> counters = new ConcurrentHashMap<>();
    private final List<BiConsumer<String, LaneCounters>> watchers = new ArrayList<>();

    private volatile boolean running = true;

    /**
     * @param transactions applies the operations of all other scopes in transactions; null if there is no data source
     */
    LaneGuards(
            CqlSession session,
            FbfProperties properties,
            FbfCassandraProperties own,
            Scopes scopes,
            @Nullable OperationGuards transactions) {
        this.session = session;
        this.properties = properties;
        this.own = own;
        this.scopes = scopes;
        this.transactions = transactions;
        scopes.requireValid(scope -> Mode.FILTER);
    }

    /** Applies the operations of a scope in lanes, even if the application has a data source. */
    void addScope(String scope) {
        declared.add(scope);
    }

    /** Opens the scopes, and waits for a limited time until those with lanes have read their retry windows. */
    @Override
    public void openAll(Collection<OperationSettings> all) {
        if (transactions != null) {
            transactions.openAll(
                    all.stream().filter(settings -> !isInLanes(settings)).toList());
        }
        all.stream().filter(this::isInLanes).map(OperationSettings::scope).forEach(this::counters);
        long deadline = System.nanoTime() + RECOVERY.toNanos();
        while (!areReady() && System.nanoTime() - deadline < 0) {
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean isInLanes(OperationSettings settings) {
        return transactions == null || declared.contains(settings.scope());
    }

    @Override
    public OperationGuard of(OperationSettings settings) {
        if (transactions != null && !isInLanes(settings)) {
            return transactions.of(settings);
        }
        String scope = settings.scope();
        if (!running) {
            throw Refusals.of(Refusal.STOPPED, scope, null);
        }
        return new LaneGuard(settings, counters(scope), scopes.of(scope), () -> !running);
    }

    LaneCounters counters(String scope) {
        LaneCounters known = counters.get(scope);
        return known == null ? open(scope) : known;
    }

    private synchronized LaneCounters open(String scope) {
        LaneCounters known = counters.get(scope);
        if (known != null) {
            return known;
        }
        if (own.createTable()) {
            LaneSchema.create(session);
        }
        FilterPlan plan = scopes.plan(scope);
        LaneCounters opened = new LaneCounters(
                session,
                new LaneSettings(
                        scope,
                        own.lanes(),
                        plan,
                        own.consistency(),
                        own.requestTimeout(),
                        properties.counters().timeout(),
                        properties.maxClaims()));
        counters.put(scope, opened);
        log.atInfo()
                .addKeyValue("scope", scope)
                .log("Guarding scope {} in {} lanes on Cassandra: {}", scope, own.lanes(), plan.stated());
        watchers.forEach(watcher -> watcher.accept(scope, opened));
        return opened;
    }

    /** Registers a listener for the open scopes, and for those opened later. */
    synchronized void watch(BiConsumer<String, LaneCounters> watcher) {
        watchers.add(watcher);
        counters.forEach(watcher);
    }

    /** Returns whether all scopes have read the operations of their retry window. */
    boolean areReady() {
        return counters.values().stream().noneMatch(LaneCounters::isRecovering);
    }

    /** Returns the current failures by scope. */
    Map<String, String> failures() {
        Map<String, String> failures = new TreeMap<>();
        counters.forEach((scope, lanes) -> {
            Throwable failure = lanes.failure();
            if (failure != null) {
                failures.put(scope, failure.toString());
            }
        });
        return failures;
    }

    @Override
    public void start() {
        running = true;
    }

    /** Stops last: web servers and message listeners drain before, so that all operations that they accepted are applied. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    /** Refuses new operations. Queued ones are still applied. */
    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public void destroy() {
        stop();
        counters.values().forEach(LaneCounters::close);
    }
}
