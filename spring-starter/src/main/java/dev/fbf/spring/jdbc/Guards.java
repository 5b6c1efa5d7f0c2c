package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.LostCommits;
import dev.fbf.core.claim.Node;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.core.claim.WitnessedTransaction;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Counters;
import dev.fbf.db.node.NodeLease;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.ResponseStore;
import dev.fbf.spring.operation.FilterPlans;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.KeptResponses;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.PropertyChecks;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.RetryWindows;
import dev.fbf.spring.operation.ScopeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * A guard for each scope, and what decides in their databases. Opened lazily: an application without scopes in filter mode creates no
 * files.
 */
public final class Guards implements OperationGuards, SmartInitializingSingleton, SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private static final Duration DRAIN_POLL = Duration.ofMillis(100);

    private final FbfProperties properties;
    private final GuardedMethods methods;
    private final GuardedDatabases databases;
    private final RetryWindows windows;
    private final Duration settleTimeout;
    private final FilterPlans plans;
    private final Map<String, ScopeClaims> guards = new ConcurrentHashMap<>();
    private final Map<OperationSettings, SqlOperationGuard> operations = new ConcurrentHashMap<>();
    private final Map<String, Counters> counters = new HashMap<>();
    private final List<GuardWatcher> watchers = new ArrayList<>();
    private final NoRoom noRoom;

    private final @Nullable KeptResponses keptResponses;

    /** Whether the application keeps the responses of scopes in ledger mode too. */
    private final boolean hasResponseStore;

    /** Scopes in filter mode share a directory, those in ledger mode are in memory. */
    private final Map<Mode, Node> nodes = new ConcurrentHashMap<>();

    private volatile boolean running;
    private volatile boolean stopping;
    private volatile boolean destroyed;

    /**
     * @param settleTimeout how long a request waits for an operation in doubt to be settled
     */
    Guards(
            FbfProperties properties,
            GuardedMethods methods,
            GuardedDatabases databases,
            RetryWindows windows,
            Duration settleTimeout,
            @Nullable ResponseStore responses) {
        this.properties = properties;
        this.methods = methods;
        this.databases = databases;
        this.windows = windows;
        this.settleTimeout = settleTimeout;
        noRoom = new NoRoom(properties.maxClaims());
        keptResponses = KeptResponses.of(properties, windows, responses);
        hasResponseStore = responses != null;
        PropertyChecks.checkAll(properties);
        plans = new FilterPlans(properties, methods, UnaryOperator.identity());
    }

    /**
     * Opens the filters and databases of the methods known by now, so that what is wrong with them stops the start, and
     * settles what the last process left in doubt.
     */
    @Override
    public void afterSingletonsInstantiated() {
        List<OperationSettings> declared = methods.settings().stream()
                .filter(settings -> !methods.isElsewhere(settings.scope()))
                .toList();
        declared.forEach(settings -> guard(settings.scope()));
        declared.forEach(this::database);
        declared.forEach(this::register);
        StartNotices.log(properties, methods);
        int left =
                nodes.values().stream().mapToInt(Node::leftInUnopenedDatabases).sum();
        if (left > 0) {
            log.warn(
                    "The last process left {} operations in doubt with transaction managers that this one does not have."
                            + " They stay in doubt until it has them again, under the same bean names.",
                    left);
        }
    }

    /** In a transaction of any manager. */
    boolean isHeldByThisThread(OperationId id) {
        return databases.all().stream().anyMatch(database -> database.isHeldByThisThread(id));
    }

    @Override
    public OperationGuard of(OperationSettings settings) {
        try {
            return guardOf(settings);
        } catch (RuntimeException e) {
            // the first call of a bean that is made late, while the database is away
            throw SchemaMigration.isUnreachable(e) ? Refusals.of(Refusal.UNREACHABLE, settings.scope(), e) : e;
        }
    }

    /** What admits the operations as increments that are committed together with those of other callers. */
    public OperationGuard grouped(OperationSettings settings) {
        return guardOf(settings).grouped();
    }

    private SqlOperationGuard guardOf(OperationSettings settings) {
        SqlOperationGuard known = operations.get(settings);
        if (known == null) {
            if (stopping) {
                throw Refusals.of(Refusal.STOPPED, settings.scope(), null);
            }
            known = new SqlOperationGuard(
                    this,
                    settings,
                    guard(settings.scope()),
                    database(settings),
                    windows.of(settings.scope()),
                    settleTimeout,
                    hasResponseStore || mode(settings.scope()) == Mode.FILTER ? keptResponses : null);
            operations.put(settings, known);
        }
        return known;
    }

    /** Opens the scope and database of operations. */
    public GuardedDatabase open(OperationSettings settings) {
        GuardedDatabase database = guardOf(settings).database();
        register(settings);
        return database;
    }

    /**
     * Registers this process in the scope and database of operations.
     *
     * @throws OtherNodeException if another process is in the way
     */
    private void register(OperationSettings settings) {
        NodeLease lease = database(settings).lease();
        String other = lease == null ? null : lease.register(settings.scope());
        if (other != null) {
            throw new OtherNodeException(settings.scope(), mode(settings.scope()), other, properties.directory());
        }
    }

    boolean isStopping() {
        return stopping;
    }

    /** Notes that an operation is refused for want of room. */
    void noRoom() {
        noRoom.refused();
    }

    /** Registers a listener for the scopes and databases, now and later. */
    public synchronized void watch(GuardWatcher watcher) {
        watchers.add(watcher);
        guards.values().forEach(watcher::opened);
        counters.forEach(watcher::opened);
        databases.watch(watcher::opened);
    }

    /** Makes known that increments of a scope are applied together. */
    public synchronized void opened(String scope, Counters counters) {
        this.counters.put(scope, counters);
        watchers.forEach(watcher -> watcher.opened(scope, counters));
    }

    /** The guard of each scope that is open, in the order of their names. */
    public List<ScopeClaims> all() {
        return guards.values().stream()
                .sorted(Comparator.comparing(ScopeClaims::scope))
                .toList();
    }

    /** Whether no operation is refused because of how the last process ended, of other processes, or of fbf's tables. */
    public boolean areReady() {
        return nodes.values().stream().noneMatch(Node::isStopped)
                && databases.all().stream().allMatch(GuardedDatabase::isReady)
                && guards.values().stream()
                        .noneMatch(guard ->
                                guard.isRecovering() || !guard.heldBackFor().isZero());
    }

    /** Whether no operation is applied until the next start, because a file failed: {@link #failures()} has the reason. */
    public boolean haveFailed() {
        return nodes.values().stream().anyMatch(node -> node.failure() != null);
    }

    /** Why operations are refused, or what other processes do beside this one: a sentence for each scope or database. */
    public List<String> obstacles() {
        List<String> obstacles = new ArrayList<>(
                leases().flatMap(lease -> lease.obstacles().stream()).toList());
        obstacles.addAll(unrecordable());
        databases.all().stream()
                .filter(database -> !database.arbiter().isReady())
                .map(database -> "Database " + database.dataSourceName()
                        + ": operations are refused until it has told what became of earlier transactions.")
                .forEach(obstacles::add);
        for (ScopeClaims guard : all()) {
            if (guard.isRecovering()) {
                obstacles.add("Scope " + guard.scope()
                        + ": operations are refused until those that the last process left in doubt are settled.");
            }
            Duration rest = guard.heldBackFor();
            if (!rest.isZero()) {
                obstacles.add(
                        "Scope " + guard.scope() + ": operations are refused for " + print(rest)
                                + ". Its filter may lack operations, after a power failure or in a directory that is not whole; their retries can arrive until then.");
            }
        }
        return obstacles;
    }

    /** Why operations cannot be recorded, a sentence for each database where that was found. */
    public List<String> unrecordable() {
        return databases.all().stream()
                .map(GuardedDatabase::obstacle)
                .filter(Objects::nonNull)
                .toList();
    }

    /** As in 9m58s. */
    private static String print(Duration time) {
        return DurationFormatterUtils.print(Duration.ofSeconds(time.toSeconds() + 1), DurationFormat.Style.COMPOSITE);
    }

    /** What the filters of some scopes could not do when it was last tried, by scope. */
    public Map<String, String> failures() {
        Map<String, String> failures = new TreeMap<>();
        guards.keySet().forEach(scope -> {
            Throwable failure = node(mode(scope)).failure(scope);
            if (failure != null) {
                failures.put(scope, failure.toString());
            }
        });
        return failures;
    }

    private Stream<NodeLease> leases() {
        return databases.all().stream().map(GuardedDatabase::lease).filter(Objects::nonNull);
    }

    /** The transactions that are in doubt, the oldest first. */
    public List<InDoubt> inDoubt() {
        return databases.all().stream()
                .flatMap(database -> database.arbiter().inDoubt().stream()
                        .map(transaction -> InDoubt.of(database.name(), transaction)))
                .sorted(Comparator.comparing(InDoubt::since))
                .toList();
    }

    /** The open transactions that have applied operations, the oldest first. */
    public List<GuardedDatabase.OpenTransaction> openTransactions() {
        return databases.all().stream()
                .flatMap(database -> database.openTransactions().stream())
                .sorted(Comparator.comparing(GuardedDatabase.OpenTransaction::since))
                .toList();
    }

    /** What holds the claims, if there is room for no more operations; null while there is room. */
    public @Nullable String noRoomBecause() {
        if (nodes.values().stream().allMatch(node -> node.held() < properties.maxClaims())) {
            return null;
        }
        databases.all().forEach(GuardedDatabase::endAbandoned);
        List<GuardedDatabase.OpenTransaction> open = openTransactions();
        return "fbf.max-claims=" + properties.maxClaims() + " is reached: new operations get 503. "
                + open.size() + " open transactions and " + inDoubt().size() + " in doubt hold the claims."
                + (open.isEmpty()
                        ? ""
                        : " The oldest is that of the thread " + open.get(0).thread() + ", since "
                                + open.get(0).since() + ".")
                + " Look for transactions that do not end, or raise fbf.max-claims.";
    }

    /** What databases have forgotten of what they committed, until an operator has accepted it; by the database's name. */
    public Map<String, LostCommits> lostCommits() {
        Map<String, LostCommits> lost = new TreeMap<>();
        databases.all().forEach(database -> {
            LostCommits its = database.arbiter().lostCommits();
            if (its != null) {
                lost.put(database.dataSourceName(), its);
            }
        });
        return lost;
    }

    /** Lets retries get the response of applied operations again; tells whether commits were lost. */
    public boolean acceptLostCommits() {
        Map<String, LostCommits> lost = lostCommits();
        databases.all().forEach(database -> database.arbiter().acceptLostCommits());
        if (!lost.isEmpty()) {
            log.warn("An operator has accepted that the database has forgotten commits: {}", lost);
        }
        return !lost.isEmpty();
    }

    /** Whether a hit of the filter proves nothing, where nothing else confirms it. */
    boolean isOverfull(ScopeClaims guard) {
        return mode(guard.scope()) == Mode.FILTER && guard.filter().isOverfull();
    }

    /** Whether the database still has what the filter of a scope remembers, as far as can be told or an operator has accepted. */
    boolean vouches(Arbiter arbiter, ScopeClaims guard) {
        LostCommits lost = arbiter.lostCommits();
        return lost == null
                // the filter has none left that are older: it forgets after a window, a period and a late refresh
                || lost.since()
                        .plus(guard.filter().plan().window().multipliedBy(2))
                        .isBefore(Instant.now());
    }

    /** Decides on a transaction in doubt; tells whether there is one of this name. */
    public boolean decide(String name, boolean applied) {
        return databases.all().stream()
                .flatMap(database -> database.arbiter().inDoubt().stream())
                .filter(transaction -> InDoubt.name(transaction).equals(name))
                .anyMatch(transaction -> decide(transaction, applied));
    }

    private static boolean decide(WitnessedTransaction transaction, boolean applied) {
        List<OperationId> operations = transaction.operations();
        boolean decided = transaction.decide(applied);
        if (decided) {
            log.warn(
                    "An operator has decided that the operations {} {} applied.",
                    operations,
                    applied ? "were" : "were not");
        }
        return decided;
    }

    @Override
    public void start() {
        stopping = false;
        leases().forEach(NodeLease::resume);
        running = true;
    }

    /** Stops last: web servers and message listeners drain before, and what they have accepted is applied. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    /** Refuses new operations, and waits for those that are being applied. */
    @Override
    public void stop(Runnable callback) {
        stopping = true;
        Thread draining = new Thread(
                () -> {
                    drain();
                    if (stopping) {
                        leases().forEach(NodeLease::end);
                        running = false;
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
        return running;
    }

    @Override
    public synchronized void destroy() {
        stopping = true;
        destroyed = true;
        if (nodes.values().stream().allMatch(node -> node.drain(Duration.ZERO))) {
            leases().forEach(NodeLease::end); // after a start that failed Spring does not call stop()
        }
        databases.all().forEach(database -> database.arbiter().close());
        leases().forEach(NodeLease::close);
        nodes.values().forEach(Node::close);
    }

    /** Spring gives up on this after a while of its own (spring.lifecycle.timeout-per-shutdown-phase). */
    private void drain() {
        for (Node node : nodes.values()) {
            while (stopping && !destroyed && !node.drain(DRAIN_POLL)) {
                log.debug("Operations are being applied still.");
            }
        }
    }

    private ScopeClaims guard(String scope) {
        ScopeClaims known = guards.get(scope);
        if (known != null) {
            return known;
        }
        ScopeClaims opened = open(scope);
        databases.awaitRecovered(); // those that were open before can settle the scope's operations only now
        return opened;
    }

    private synchronized ScopeClaims open(String scope) {
        ScopeClaims known = guards.get(scope);
        if (known != null) {
            return known;
        }
        FilterPlan plan = plans.of(scope);
        ScopeSettings settings = ScopeSettings.of(scope, properties);
        Node node = node(settings.mode());
        ScopeClaims guard = node.scope(scope, plan, settings.retryWindow());
        guards.put(scope, guard);
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
        watchers.forEach(watcher -> watcher.opened(guard));
        return guard;
    }

    private GuardedDatabase database(OperationSettings settings) {
        GuardedDatabase database = databases.of(settings, this::node);
        database.permits(settings.scope()); // a scope that has not been called yet has its share too
        return database;
    }

    /** What decides on the operations of a scope. */
    public Mode mode(String scope) {
        return ScopeSettings.of(scope, properties).mode();
    }

    /** What the directory is known by in the witness; null if no scope is in filter mode. */
    public @Nullable UUID nodeId() {
        Node open = nodes.get(Mode.FILTER);
        return open == null ? null : open.id();
    }

    private synchronized Node node(Mode mode) {
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
