package dev.fbf.db.witness;

import dev.fbf.core.DurationText;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.witness.Standing.State;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's leases on the scopes of one database, by the {@linkplain LeaseTable registry of nodes}. A dedicated thread renews
 * them. Thread-safe.
 */
public final class NodeLease implements AutoCloseable {

    /*
     * The lock serializes writes to the registry; ScopeLease.use() takes it only before a decision. The thread renews every period, earlier
     * when operations are no longer held back, and RETRY after a failure. A lost wake-up costs a period.
     */
    private static final Logger log = LoggerFactory.getLogger(NodeLease.class);

    /** The usual period between two renewals. */
    public static final Duration RENEWAL = Duration.ofSeconds(5);

    private static final Duration RETRY = Duration.ofMillis(250);
    private static final Duration RESPONSE = Duration.ofSeconds(10);

    /**
     * This process, as the other nodes see it.
     *
     * @param node the id of the directory, which survives a restart
     * @param run the id of the process, the same in all its leases
     * @param isOnCopy whether its directory may be a copy: then a process that seems alive may be one with the original
     * @param process a description of the process for messages
     */
    public record Self(UUID node, UUID run, boolean isOnCopy, String process) {}

    /** RUNNING ⇄ FAILING; both → ENDED → RUNNING; all → CLOSED. */
    private enum Life {
        RUNNING,
        /** The registry cannot be written. */
        FAILING,
        /** Operations are refused until {@link #resume()}. */
        ENDED,
        CLOSED
    }

    /**
     * A moment, by two clocks: {@link System#nanoTime()} stops while the host is suspended, and the wall clock can be set. If one shows that the
     * time is over, it is over.
     */
    record Moment(long nanos, long wallMillis) {

        static Moment now() {
            return new Moment(System.nanoTime(), System.currentTimeMillis());
        }

        /** Returns whether less than the given time has passed since this moment. */
        boolean isWithin(Duration time) {
            return System.nanoTime() - nanos < time.toNanos()
                    && Math.abs(System.currentTimeMillis() - wallMillis) < time.toMillis();
        }
    }

    /** A standing, and the time of the query for it. */
    private record Term(Standing standing, Moment queriedAt) {}

    private static final Term UNKNOWN = new Term(Standing.UNKNOWN, Moment.now());

    private final String database;
    private final DataSource dataSource;
    private final LeaseTable table;
    private final Duration renewal;
    private final Function<String, ScopeClaims> scopes;
    private final Map<String, ScopeLease> leases = new ConcurrentHashMap<>();
    private final Background renewals;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicReference<Life> life = new AtomicReference<>(Life.RUNNING);

    /**
     * Creates the leases of this process; no thread is started.
     *
     * @param database the database's name, for logs
     * @param renewal the period between two renewals, much shorter than a lease
     * @param scopes returns an open scope by its name
     */
    public NodeLease(
            String database,
            DataSource dataSource,
            FbfSchema schema,
            Self self,
            Duration renewal,
            Function<String, ScopeClaims> scopes) {
        this.database = database;
        this.dataSource = dataSource;
        table = new LeaseTable(schema, self);
        this.renewal = renewal;
        this.scopes = scopes;
        renewals = new Background(
                "fbf-node-" + database,
                "The registry of nodes in the database " + database + " cannot be written now",
                RETRY,
                early -> renewAll());
    }

    /** Starts the thread. */
    public void start() {
        renewals.start(renewal);
    }

    /**
     * Checks that the database has the registry, and that its user has the necessary privileges.
     *
     * @throws SQLException if a table is missing (SQL state 42P01 or 3F000), a privilege is missing (42501), or the database cannot
     *     be reached
     */
    public void check(Connection connection) throws SQLException {
        table.check(connection);
    }

    /**
     * Registers this process in a scope; if the database does not respond, the renewal thread does so later. If another process holds the
     * scope, waits until that process renews its lease or the lease lapses.
     *
     * @return a description of the live process that holds the scope, for messages: its node, host, and when it was last seen by the
     *     database's clock; null if there is none, or the database does not respond
     */
    public @Nullable String register(String scope) {
        ScopeLease lease = of(scope);
        String first = null;
        while (life.get() != Life.CLOSED
                && (!lease.isDecided() || lease.term.standing.state() == State.REFUSED)
                && inConnection(connection -> register(connection, lease))
                && lease.term.standing.state() == State.REFUSED) {
            String now = lease.term.standing.whose();
            boolean isAlive = first != null && !first.equals(now); // it has renewed its lease since
            first = now;
            if (isAlive || Thread.currentThread().isInterrupted()) {
                return now;
            }
            LockSupport.parkNanos(RETRY.toNanos());
        }
        return null;
    }

    /** {@return the lease on a scope, which the first operation registers if the start did not} */
    public ScopeLease of(String scope) {
        return leases.computeIfAbsent(scope, ScopeLease::new);
    }

    /**
     * Asks the registry to decide on a scope, unless a concurrent caller has asked first. If the lease has expired, requests a renewal,
     * which may still succeed.
     */
    private void confirm(ScopeLease lease) {
        if (life.get() != Life.RUNNING) {
            return;
        }
        if (lease.isDecided()) {
            renewals.wake();
        } else {
            inConnection(connection -> {
                if (!lease.isDecided()) {
                    register(connection, lease);
                }
            });
        }
    }

    private boolean isEnded() {
        Life now = life.get();
        return now == Life.ENDED || now == Life.CLOSED;
    }

    /** {@return the reasons why operations are refused, each as text for operators} */
    public List<String> obstacles() {
        return leases.values().stream()
                .map(ScopeLease::obstacle)
                .filter(Objects::nonNull)
                .sorted()
                .toList();
    }

    /** Refuses operations from now on. Records in the registry that this process applies none, if the database responds. */
    public void end() {
        Life before = life.getAndUpdate(now -> now == Life.CLOSED ? now : Life.ENDED);
        boolean isDecided = leases.values().stream().anyMatch(ScopeLease::isDecided);
        if (isDecided && (before == Life.RUNNING || before == Life.FAILING)) {
            inConnection(connection -> table.end(connection, leases.keySet()));
        }
    }

    /** Admits operations again after the {@linkplain #end() end}. */
    public void resume() {
        if (life.get() == Life.ENDED) {
            leases.values().forEach(lease -> lease.term = UNKNOWN);
            life.compareAndSet(Life.ENDED, Life.RUNNING);
            inConnection(this::renew);
        }
    }

    @Override
    public void close() {
        life.set(Life.CLOSED);
        renewals.close();
    }

    private Duration renewAll() {
        if (!isEnded() && !leases.isEmpty()) {
            inConnection(this::renew);
        }
        return life.get() == Life.FAILING ? RETRY : untilNext();
    }

    private Duration untilNext() {
        return leases.values().stream()
                .map(ScopeLease::heldBackFor)
                .filter(time -> !time.isZero())
                .reduce(renewal, (one, other) -> one.compareTo(other) < 0 ? one : other);
    }

    private void renew(Connection connection) throws SQLException {
        if (isEnded()) {
            return;
        }
        Moment queriedAt = Moment.now();
        List<ScopeLease> held = leases.values().stream()
                .filter(lease ->
                        lease.refusal() == null) // after an expiry, other nodes may have held the lease meanwhile
                .toList();
        Set<String> renewed = held.isEmpty()
                ? Set.of()
                : table.renew(connection, held.stream().map(this::claims).toList());
        for (ScopeLease lease : leases.values()) {
            if (renewed.contains(lease.scope)) {
                lease.term = new Term(lease.term.standing, queriedAt);
            } else {
                register(connection, lease);
            }
        }
    }

    private void register(Connection connection, ScopeLease lease) throws SQLException {
        Moment queriedAt = Moment.now();
        lease.set(table.register(connection, claims(lease), !lease.started), queriedAt);
    }

    private ScopeClaims claims(ScopeLease lease) {
        return scopes.apply(lease.scope);
    }

    /** Does work on a connection; returns whether the database has responded. */
    private boolean inConnection(SilenceLimit.Work work) {
        lock.lock();
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, work);
            life.compareAndSet(Life.FAILING, Life.RUNNING);
            return true;
        } catch (SQLException | RuntimeException e) {
            if (life.compareAndSet(Life.RUNNING, Life.FAILING)) {
                log.atWarn()
                        .addKeyValue("database", database)
                        .log(
                                "The registry of nodes in the database {} cannot be written now: {}. If that lasts for {} s,"
                                        + " operations are refused.",
                                database,
                                e.toString(),
                                LeaseTable.LEASE.toSeconds());
            }
            renewals.wake();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** This process's standing in one scope, and the time of its confirmation by the registry. One thread at a time writes it. */
    public final class ScopeLease {

        private final String scope;

        private volatile Term term = UNKNOWN;

        /** Whether the registry has decided on this process once, even if it has refused it. */
        private volatile boolean started;

        private ScopeLease(String scope) {
            this.scope = scope;
        }

        private boolean isDecided() {
            return term.standing.state() != State.UNKNOWN;
        }

        /** Returns the reason to refuse operations now; null if they are admitted. */
        @Nullable Refusal refusal() {
            Term now = term;
            return switch (now.standing.state()) {
                case UNKNOWN -> Refusal.UNCONFIRMED;
                case HELD -> now.queriedAt.isWithin(LeaseTable.LEASE) ? null : Refusal.UNCONFIRMED;
                case HELD_BACK -> Refusal.HELD_BACK;
                case REFUSED, TURNED, ELSEWHERE -> Refusal.OTHER_NODE;
            };
        }

        /** {@return the reason to refuse an operation now; null if it is admitted} */
        public @Nullable Refusal use() {
            Refusal refusal = refusal();
            if (refusal == Refusal.UNCONFIRMED) {
                confirm(this);
                refusal = refusal();
            }
            return isEnded() ? Refusal.STOPPED : refusal;
        }

        /** {@return the remaining time in which operations are refused with {@link Refusal#HELD_BACK}; zero if they are not} */
        public Duration heldBackFor() {
            Term now = term;
            if (now.standing.state() != State.HELD_BACK) {
                return Duration.ZERO;
            }
            Duration rest = now.standing.rest().minusNanos(System.nanoTime() - now.queriedAt.nanos());
            return rest.isNegative() ? Duration.ZERO : rest;
        }

        /** Returns the reason why operations are refused; null if they are not. */
        @Nullable String obstacle() {
            Standing now = term.standing;
            if (refusal() == null) {
                return null;
            }
            return "Scope " + scope + ": operations are refused"
                    + switch (now.state()) {
                        case HELD_BACK ->
                            " for " + DurationText.of(heldBackFor())
                                    + ". Until then, retries can arrive of operations that " + now.whose()
                                    + " applied.";
                        case TURNED ->
                            ". Another process has turned the scope to ledger mode. Stop this process; or restart it, to turn"
                                    + " the scope back to filter mode (fbf.mode).";
                        case ELSEWHERE ->
                            " in this database, because this process applies them in another one. In filter mode a scope"
                                    + " belongs to one database: name another scope.";
                        case REFUSED -> ". Another process applies them: " + now.whose() + ".";
                        case UNKNOWN, HELD ->
                            " until the database confirms in the registry of nodes that this process may apply them.";
                    };
        }

        void set(Standing standing, Moment queriedAt) {
            Standing before = term.standing;
            term = new Term(standing, queriedAt);
            started = true;
            if (!before.isLike(standing)) {
                log(before, standing);
            }
        }

        private void log(Standing before, Standing now) {
            String obstacle = obstacle();
            if (obstacle == null && before.state() != State.UNKNOWN) {
                log.atInfo()
                        .addKeyValue("scope", scope)
                        .log("Operations of the scope {} are applied from now on.", scope);
            } else if (now.state() == State.HELD_BACK) {
                log.atWarn()
                        .addKeyValue("scope", scope)
                        .log(
                                "{} To avoid this wait, keep the directory (fbf.directory) when a process is replaced, or"
                                        + " leave the scope in ledger mode.",
                                obstacle);
            } else if (obstacle != null) {
                log.atError().addKeyValue("scope", scope).log(obstacle);
            }
        }
    }
}
