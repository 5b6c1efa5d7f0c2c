package dev.fbf.db.witness;

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
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

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
                && lease.isUnregistered()
                && inConnection(connection -> register(connection, lease))
                && lease.standing().state() == State.REFUSED) {
            String now = lease.standing().whose();
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
        return leases.computeIfAbsent(scope, name -> new ScopeLease(name, this::confirm, this::isEnded));
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
        if (!leases.isEmpty() && (before == Life.RUNNING || before == Life.FAILING)) {
            inConnection(connection -> table.end(connection, leases.keySet()));
        }
    }

    /** Admits operations again after the {@linkplain #end() end}. */
    public void resume() {
        if (life.get() == Life.ENDED) {
            leases.values().forEach(ScopeLease::reset);
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
                .filter(ScopeLease::isValid) // after an expiry, other nodes may have held the lease meanwhile
                .toList();
        Set<String> renewed = held.isEmpty()
                ? Set.of()
                : table.renew(connection, held.stream().map(this::claims).toList());
        for (ScopeLease lease : leases.values()) {
            if (renewed.contains(lease.scope())) {
                lease.renewed(queriedAt);
            } else {
                register(connection, lease);
            }
        }
    }

    private void register(Connection connection, ScopeLease lease) throws SQLException {
        Moment queriedAt = Moment.now();
        lease.set(table.register(connection, claims(lease), lease.isStart()), queriedAt);
    }

    private ScopeClaims claims(ScopeLease lease) {
        return scopes.apply(lease.scope());
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
                log(Level.WARN)
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

    private LoggingEventBuilder log(Level level) {
        return log.atLevel(level).addKeyValue("database", database);
    }
}
