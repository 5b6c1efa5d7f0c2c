package dev.fbf.db.node;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.PeriodicWork;
import dev.fbf.db.connection.SilenceLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process may do in the scopes of one database beside other processes, by the {@linkplain NodeTable registry of
 * nodes}. A thread of its own renews it. Thread-safe.
 */
public final class NodeLease implements AutoCloseable {

    /*
     * The lock serializes what is written to the registry; refusal() takes none. The thread renews every period, earlier
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
     * @param node its name, which stays with its directory
     * @param run its name, which ends with the process; the same in all leases of the process
     * @param earlierRuns the processes that used its directory before: one that is alive and not among them uses a copy
     * @param process where it runs, for people
     * @param ledger whether it shares the ledger with other nodes; else its filter alone knows its operations
     */
    public record Self(UUID node, UUID run, Set<UUID> earlierRuns, String process, boolean ledger) {}

    private final String database;
    private final DataSource dataSource;
    private final NodeTable table;
    private final String process;
    private final Duration renewal;
    private final Function<String, Duration> retryWindows;
    private final Function<String, Duration> maxSkews;
    private final InstantSource hostClock;
    private final Map<String, ScopeLease> leases = new ConcurrentHashMap<>();
    private final Predicate<String> isApplying;
    private final PeriodicWork renewals;
    private final ReentrantLock lock = new ReentrantLock();

    private final boolean logsDatabaseSteps;

    private volatile @Nullable HostClocks clocks;
    private volatile boolean failing;
    private volatile boolean ended;
    private volatile boolean closed;

    /**
     * Describes this process to the other nodes of a database.
     *
     * @param database the database's name, for logs
     * @param renewal the period between two renewals, much shorter than a lease
     * @param retryWindows the retry window of each scope
     * @param maxSkews how far clocks may differ in each scope
     * @param hostClock the clock of this host
     * @param isApplying whether operations of a scope are being applied, or in doubt
     */
    public NodeLease(
            String database,
            DataSource dataSource,
            FbfSchema schema,
            Self self,
            Duration renewal,
            Function<String, Duration> retryWindows,
            Function<String, Duration> maxSkews,
            InstantSource hostClock,
            Predicate<String> isApplying) {
        this.database = database;
        this.dataSource = dataSource;
        table = new NodeTable(schema, self, hostClock);
        logsDatabaseSteps = !self.ledger(); // the ledger's horizon does
        process = self.process();
        this.renewal = renewal;
        this.retryWindows = retryWindows;
        this.maxSkews = maxSkews;
        this.hostClock = hostClock;
        this.isApplying = isApplying;
        renewals = new PeriodicWork("fbf-node-" + database, RETRY, early -> renewAll());
    }

    /** Starts the thread. */
    public void start() {
        renewals.start(renewal);
    }

    /**
     * Checks that the database has the registry, and that its user may write there.
     *
     * @throws SQLException if it has not (SQL state 42P01 or 3F000), the user may not (42501), or it cannot be reached
     */
    public void check(Connection connection) throws SQLException {
        table.check(connection);
    }

    /**
     * Registers this process in a scope. Where the database does not respond, that happens later. If another process is in
     * the way, waits until it renews its lease, or until that has lapsed.
     *
     * @return the process that is in the way, and alive, for people: its node, where it runs, its mode, and when it started and
     *     was last seen by the database's clock; null if there is none
     */
    public @Nullable String register(String scope) {
        ScopeLease lease = leases.computeIfAbsent(scope, ScopeLease::new);
        OtherNode first = null;
        while (!closed && !lease.isRegistered() && inTransaction(connection -> register(connection, lease))) {
            OtherNode other = lease.inTheWay();
            if (other == null || (first != null && isAlive(first, other))) {
                return other == null ? null : other.toString();
            }
            first = first != null && first.id().equals(other.id()) ? first : other;
            LockSupport.parkNanos(RETRY.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                return other.toString();
            }
        }
        return null;
    }

    private static boolean isAlive(OtherNode before, OtherNode now) {
        return before.id().equals(now.id())
                && (!now.seenAt().equals(before.seenAt()) || !now.run().equals(before.run()));
    }

    /** {@return why an operation of a scope may not be applied now; null if it may} */
    public @Nullable Refusal refusal(String scope) {
        ScopeLease known = leases.get(scope);
        ScopeLease lease = known != null && (known.isDecided() || failing) ? known : registered(scope);
        if (ended) {
            return Refusal.STOPPED;
        }
        if (lease.use()) {
            return null;
        }
        if (!failing && lease.isHeld()) {
            renewals.wake(); // it has lapsed, and can perhaps be renewed
        }
        Refusal refusal = lease.refusal();
        return refusal == null ? Refusal.UNCONFIRMED : refusal; // renewed in between
    }

    /** {@return for how long operations of a scope are refused with {@link Refusal#HELD_BACK}; zero if they are not} */
    public Duration heldBackFor(String scope) {
        ScopeLease lease = leases.get(scope);
        return lease == null ? Duration.ZERO : lease.heldBackFor();
    }

    /**
     * Compares the clocks that keys of a scope are judged by.
     *
     * @return null if this host's clock was set since the database was asked; it is asked anew
     */
    public @Nullable ClockSpread clocks(String scope) {
        HostClocks known = clocks;
        if (known == null || HostClocks.isStep(known.hostStep(hostClock.instant(), System.nanoTime()))) {
            renewals.wake();
            return null;
        }
        return known.spread(maxSkews.apply(scope));
    }

    /** The lease of a scope that was not known at start, once the registry has decided on it: other threads may have asked first. */
    private ScopeLease registered(String scope) {
        ScopeLease lease = leases.computeIfAbsent(scope, ScopeLease::new);
        if (!ended) {
            inTransaction(connection -> {
                if (!lease.isDecided()) {
                    register(connection, lease);
                }
            });
        }
        return lease;
    }

    /** {@return whether operations may be applied in all scopes that are registered} */
    public boolean admitsAll() {
        return leases.values().stream().allMatch(ScopeLease::isValid);
    }

    /** {@return why operations are refused, or what other processes do beside this one; a sentence for each scope} */
    public List<String> obstacles() {
        return leases.values().stream()
                .flatMap(lease -> Stream.of(lease.obstacle(), wrongClock(lease.scope())))
                .filter(Objects::nonNull)
                .sorted()
                .toList();
    }

    /** That operations of a scope are refused because this host's clock is wrong; null if they are not. */
    private @Nullable String wrongClock(String scope) {
        HostClocks known = clocks;
        Duration wrongBy = known == null
                ? Duration.ZERO
                : known.spread(maxSkews.apply(scope)).wrongBy();
        return wrongBy.isZero()
                ? null
                : "Scope " + scope
                        + ": operations whose keys carry a time are refused here, because the clock of this host is "
                        + seconds(wrongBy.abs()) + " s " + (wrongBy.isNegative() ? "behind" : "ahead of")
                        + " the database's, and other hosts' are nearer to it. Set the clock of this host (" + process
                        + "), or raise fbf.key.max-skew.";
    }

    private static long seconds(Duration time) {
        return time.plusMillis(500).toSeconds();
    }

    /** Notes in the registry that this process applies no more operations, where the database responds. */
    public void end() {
        if (!ended) {
            ended = true;
            if (leases.values().stream().anyMatch(ScopeLease::isRegistered)) {
                inTransaction(connection -> table.end(connection, takeUsed()));
            }
        }
    }

    /** Begins anew after the {@linkplain #end() end}. */
    public void resume() {
        if (ended) {
            leases.values().forEach(ScopeLease::reset);
            ended = false;
            inTransaction(this::renew);
        }
    }

    @Override
    public void close() {
        closed = true;
        renewals.close();
    }

    private Duration renewAll() {
        if (!ended && !leases.isEmpty()) {
            inTransaction(this::renew);
        }
        return failing ? RETRY : untilNext();
    }

    private Duration untilNext() {
        return leases.values().stream()
                .map(ScopeLease::heldBackFor)
                .filter(time -> !time.isZero())
                .reduce(renewal, (one, other) -> one.compareTo(other) < 0 ? one : other);
    }

    private void compareClocks(Connection connection) throws SQLException {
        HostClocks before = clocks;
        List<String> wrongBefore = wrongClocks();
        HostClocks now = table.clocks(connection);
        clocks = now;
        wrongClocks().stream()
                .filter(wrong -> wrongBefore.isEmpty())
                .forEach(
                        wrong -> log.atError().addKeyValue("database", database).log(wrong));
        if (before != null) {
            logStep("This host's clock", before.hostStep(now.hostTime(), now.nanos()));
            if (logsDatabaseSteps) {
                logStep("The database's clock", before.databaseStep(now));
            }
        }
    }

    private List<String> wrongClocks() {
        return leases.keySet().stream()
                .sorted()
                .map(this::wrongClock)
                .filter(Objects::nonNull)
                .toList();
    }

    private void logStep(String clock, Duration step) {
        if (HostClocks.isStep(step)) {
            log.atWarn()
                    .addKeyValue("database", database)
                    .log(
                            "{} went {} by {} s: it was set, or this host was suspended. No operation is forgotten early; other processes may wait for up to {} s"
                                    + " longer. Check how the hosts set their clocks.",
                            clock,
                            step.isNegative() ? "back" : "ahead",
                            seconds(step.abs()),
                            NodeTable.LEASE.toSeconds());
        }
    }

    private void renew(Connection connection) throws SQLException {
        compareClocks(connection);
        Moment askedAt = Moment.now();
        List<String> held = leases.values().stream()
                .filter(lease -> lease.isHeld() && lease.isValid()) // after a lapse others may have come and gone
                .map(ScopeLease::scope)
                .toList();
        Set<String> renewed = held.isEmpty() ? Set.of() : renew(connection, held);
        for (ScopeLease lease : leases.values()) {
            if (renewed.contains(lease.scope())) {
                lease.renewed(askedAt);
            } else {
                register(connection, lease);
            }
        }
    }

    private Set<String> renew(Connection connection, List<String> held) throws SQLException {
        Collection<String> used = takeUsed();
        boolean written = false;
        try {
            Set<String> renewed = table.renew(connection, held, used);
            used.stream().filter(scope -> !renewed.contains(scope)).forEach(this::giveBackUsed);
            written = true;
            return renewed;
        } finally {
            if (!written) {
                used.forEach(this::giveBackUsed);
            }
        }
    }

    private void register(Connection connection, ScopeLease lease) throws SQLException {
        Moment askedAt = Moment.now();
        if (clocks == null) {
            compareClocks(connection);
        }
        boolean used = takeUsed(lease);
        boolean written = false;
        try {
            NodeStanding standing = table.register(
                    connection, lease.scope(), retryWindows.apply(lease.scope()), lease.before(), used, lease.seen());
            lease.set(standing, askedAt);
            written = true;
        } finally {
            if (used && !written) {
                lease.giveBackUsed();
            }
        }
    }

    private List<String> takeUsed() {
        return leases.values().stream()
                .filter(this::takeUsed)
                .map(ScopeLease::scope)
                .toList();
    }

    private boolean takeUsed(ScopeLease lease) {
        return lease.takeUsed(isApplying.test(lease.scope()));
    }

    private void giveBackUsed(String scope) {
        Objects.requireNonNull(leases.get(scope)).giveBackUsed();
    }

    /** Returns whether the database has responded. */
    private boolean inTransaction(SilenceLimit.Work work) {
        lock.lock();
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, work);
            failing = false;
            return true;
        } catch (SQLException | RuntimeException e) {
            if (!failing && !ended && !closed) {
                log.atWarn()
                        .addKeyValue("database", database)
                        .log(
                                "The registry of nodes in the database {} cannot be written now: {}. If that lasts for {} s,"
                                        + " operations are refused.",
                                database,
                                e.toString(),
                                NodeTable.LEASE.toSeconds());
            }
            failing = true;
            renewals.wake();
            return false;
        } finally {
            lock.unlock();
        }
    }
}
