package dev.fbf.spring.transaction;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.Node;
import dev.fbf.db.Counters;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/** The guards, and the lifecycle of this node from the first opened scope to the end of the last operation. Thread-safe. */
final class Guards implements OperationGuards, SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private static final Duration DRAIN_POLL = Duration.ofMillis(100);

    private final GuardedDatabases databases;
    private final Scopes scopes;
    final Duration settleTimeout;
    private final OpenScopes open;
    private final Map<OperationSettings, SqlOperationGuard> operations = new ConcurrentHashMap<>();
    private final NoRoom noRoom;

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
    Guards(
            FbfProperties properties,
            GuardedDatabases databases,
            OpenScopes open,
            Scopes scopes,
            Duration settleTimeout) {
        this.databases = databases;
        this.open = open;
        this.scopes = scopes;
        this.settleTimeout = settleTimeout;
        noRoom = new NoRoom(properties.maxClaims());
        scopes.requireValid(ScopeDefinition::mode);
    }

    /** Opens the scopes and their databases, and registers this process there. */
    @Override
    public void openAll(Collection<OperationSettings> declared) {
        declared.forEach(settings -> openScope(settings.scope()));
        declared.forEach(databases::of);
        declared.forEach(this::register);
        Node node = open.openNode();
        int left = node == null ? 0 : node.leftInUnopenedDatabases();
        if (left > 0) {
            log.warn(
                    "The previous process left {} operations in doubt with transaction managers that this one does not"
                            + " use. They stay in doubt until it uses them, under the same bean names.",
                    left);
        }
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

    private SqlOperationGuard open(OperationSettings settings) {
        if (state.refuses()) {
            throw Refusals.of(Refusal.STOPPED, settings.scope(), null);
        }
        openScope(settings.scope());
        GuardedDatabase database = databases.of(settings);
        SqlOperationGuard opened = guard(settings, database, scopes.of(settings.scope()));
        operations.put(settings, opened);
        return opened;
    }

    private SqlOperationGuard guard(OperationSettings settings, GuardedDatabase database, ScopeDefinition scope) {
        return database instanceof WitnessDatabase witness
                ? new WitnessGuard(this, settings, witness, open.witnessed(settings.scope()), scope)
                : new LedgerGuard(this, settings, (LedgerDatabase) database, open.claims(), open.recent(), scope);
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
     * @throws OtherNodeException if another process holds the scope
     */
    void register(OperationSettings settings) {
        databases.of(settings).register(settings, scopes.of(settings.scope()));
    }

    /** Logs that an operation is refused because a limit is reached. */
    void noRoom() {
        noRoom.refused();
    }

    /** Registers the counters of a scope whose increments are applied in groups. */
    void opened(String scope, Counters counters) {
        open.opened(scope, counters);
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
        synchronized (open) {
            Node node = open.openNode();
            if (node == null || node.drain(Duration.ZERO)) {
                databases.all().forEach(GuardedDatabase::end); // after a failed start, Spring does not call stop()
            }
            databases.all().forEach(GuardedDatabase::close);
            if (node != null) {
                node.close();
            }
        }
    }

    /** Waits until no operation is being applied. Spring limits the wait (spring.lifecycle.timeout-per-shutdown-phase). */
    private void drain() {
        while (state == State.STOPPING && open.areApplying()) {
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
        if (!open.isOpen(scope) && open.open(scope).witnessed() != null) {
            // databases that are already open can now settle the scope's operations
            databases.inFilterMode().forEach(WitnessDatabase::awaitRecovered);
        }
    }

    /** Log of refusals because of a reached limit, with at most one message per minute. Thread-safe. */
    private static final class NoRoom {

        private static final long PAUSE = Duration.ofMinutes(1).toNanos();

        private final int maxClaims;
        private final AtomicLong nextAt = new AtomicLong(System.nanoTime());

        NoRoom(int maxClaims) {
            this.maxClaims = maxClaims;
        }

        void refused() {
            long now = System.nanoTime();
            long next = nextAt.get();
            if (now - next >= 0 && nextAt.compareAndSet(next, now + PAUSE)) {
                log.warn(
                        "New operations are refused: {} are being applied or in doubt, which is the limit."
                                + " Raise fbf.max-claims, or look for slow transactions.",
                        maxClaims);
            }
        }
    }
}
