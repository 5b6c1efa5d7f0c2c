package dev.fbf.db.witness;

import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.Standing;
import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.SilenceLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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
     * The lock serializes writes to the registry; ScopeLease.use() takes it only before a decision. The thread renews every period, and
     * RETRY after a failure. A lost wake-up costs a period.
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
    private record Term(Standing standing, Moment queriedAt) {
        static Term unknown() {
            return new Term(UNKNOWN, Moment.now());
        }
    }

    private static final Standing UNKNOWN =
            Standing.unconfirmed("in the registry of nodes that this process may apply them.");

    private final String database;
    private final DataSource dataSource;
    private final LeaseTable table;
    private final Duration renewal;
    private final Function<String, ScopeClaims> scopes;
    private final Map<String, ScopeLease> leases = new ConcurrentHashMap<>();
    private final Background renewals;
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether operations are refused until {@link #resume()}. */
    private volatile boolean ended;

    /** Whether the registry could not be written the last time. */
    private volatile boolean failing;

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
     * Registers this process in a scope; if the database does not respond, the renewal thread does so later.
     *
     * @return a description of the live process that holds the scope, for messages: its node, host, and when it was last seen by the
     *     database's clock; null if there is none, or the database does not respond
     */
    public @Nullable String register(String scope) {
        ScopeLease lease = of(scope);
        if (!lease.isDecided() || lease.holder() != null) {
            inConnection(connection -> register(connection, lease));
        }
        return lease.holder();
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
        if (failing || isEnded()) {
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
        return ended || renewals.isClosed();
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
        boolean wasEnded = isEnded();
        ended = true;
        if (!wasEnded && leases.values().stream().anyMatch(ScopeLease::isDecided)) {
            inConnection(connection -> table.end(connection, leases.keySet()));
        }
    }

    /** Admits operations again after the {@linkplain #end() end}. */
    public void resume() {
        if (ended && !renewals.isClosed()) {
            leases.values().forEach(lease -> lease.term = Term.unknown());
            ended = false;
            inConnection(this::renew);
        }
    }

    @Override
    public void close() {
        renewals.close();
    }

    private Duration renewAll() {
        if (!isEnded() && !leases.isEmpty()) {
            inConnection(this::renew);
        }
        return failing ? RETRY : renewal;
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

    /** Does work on a connection, if the database responds. */
    private void inConnection(SilenceLimit.Work work) {
        lock.lock();
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, work);
            failing = false;
        } catch (SQLException | RuntimeException e) {
            if (!failing) {
                failing = true;
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
        } finally {
            lock.unlock();
        }
    }

    /** This process's standing in one scope, and the time of its confirmation by the registry. One thread at a time writes it. */
    public final class ScopeLease {

        private final String scope;

        private volatile Term term = Term.unknown();

        /** Whether the registry has decided on this process once, even if it has refused it. */
        private volatile boolean started;

        private ScopeLease(String scope) {
            this.scope = scope;
        }

        private boolean isDecided() {
            return term.standing.reason() != Refusal.UNCONFIRMED;
        }

        private @Nullable String holder() {
            return term.standing.holder();
        }

        /** Returns the reason to refuse operations now; null if they are admitted. */
        @Nullable Refusal refusal() {
            Term now = term;
            boolean hasLapsed = now.standing.reason() == null && !now.queriedAt.isWithin(LeaseTable.LEASE);
            return hasLapsed ? Refusal.UNCONFIRMED : now.standing.reason();
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
            return term.standing.heldBackFor();
        }

        /** Returns the reason why operations are refused; null if they are not. */
        @Nullable String obstacle() {
            Standing now = term.standing;
            if (refusal() == null) {
                return null;
            }
            return (now.reason() == null ? UNKNOWN : now).obstacle(scope);
        }

        void set(Standing standing, Moment queriedAt) {
            Standing before = term.standing;
            term = new Term(standing, queriedAt);
            started = true;
            standing.log(before, scope, log);
        }
    }
}
