package dev.fbf.core.witness;

import dev.fbf.core.DurationText;
import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Scopes of a process, with their filters and claims. Kept in a directory, which determines the {@link #id()}. Thread-safe. */
public final class Node implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Node.class);

    private static final Duration POLL = Duration.ofMillis(5);

    /** Pause between checks of the files and the disk. */
    private static final Duration WATCH = Duration.ofSeconds(5);

    private final FilterDirectory filters;
    private final ClaimRecords records;
    private final UUID id;
    private final RecordedClaims claims;
    private final AfterPowerFailure afterPowerFailure;
    private final Map<String, ScopeClaims> scopes = new ConcurrentHashMap<>();
    private final Map<String, WitnessedDatabase> databases = new ConcurrentHashMap<>();
    private final Map<Integer, String> databaseNames = new ConcurrentHashMap<>();
    private final Map<Integer, List<Entry>> leftBehind;
    private final Tokens tokens = new Tokens(InstantSource.system());
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(Node::daemon);
    private final AtomicBoolean watches = new AtomicBoolean();

    private volatile boolean stopped;

    private Node(FilterDirectory directory, int maxClaims, AfterPowerFailure afterPowerFailure) {
        filters = directory;
        this.afterPowerFailure = afterPowerFailure;
        records = ClaimFile.open(directory.path(), maxClaims);
        id = records.node();
        List<Entry> left = LeftBehind.in(records);
        claims = new RecordedClaims(records, maxClaims, left);
        directory.onFault(claims::fail);
        leftBehind = new ConcurrentHashMap<>(left.stream().collect(Collectors.groupingBy(Entry::database)));
    }

    /**
     * Opens a directory for exclusive use by this process. Creates it if it does not exist.
     *
     * @param maxClaims the maximum number of operations that are being applied or in doubt, at least 1
     * @param afterPowerFailure the policy for operations if a power failure may have lost some
     * @return the node, to be closed
     * @throws StorageException if the directory is already open, in this process or another; it cannot be used; a file in it is damaged; or
     *     the disk has no room
     */
    public static Node open(Path path, int maxClaims, AfterPowerFailure afterPowerFailure) {
        if (maxClaims < 1) {
            throw new IllegalArgumentException("maxClaims=" + maxClaims + ": must be at least 1");
        }
        FilterDirectory directory = FilterDirectory.open(path);
        try {
            return new Node(directory, maxClaims, afterPowerFailure);
        } catch (RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    /** {@return the node's id, which the directory's file {@code fbf.claims} keeps} */
    public UUID id() {
        return id;
    }

    /**
     * Opens a scope and its filter. Creates the filter if it does not exist.
     *
     * @param name the scope's name, matching {@link OperationId#SCOPE}
     * @param plan the filter's plan; ignored if the scope is open already
     * @return the scope, usable until this node is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope's name is not allowed, or has the same hash as that of another open scope
     * @throws IllegalStateException if this node was closed, and the scope is not open
     * @throws StorageException if the filter cannot be opened, for example because a file is damaged or the disk has no room
     */
    public ScopeClaims scope(String name, FilterPlan plan) {
        ScopeClaims known = scopes.get(name);
        if (known != null) {
            return known;
        }
        ScopeClaims scope = scopes.computeIfAbsent(name, absent -> {
            ScopeClaims opened = new ScopeClaims(
                    claims,
                    absent,
                    filters.filter(absent, plan),
                    afterPowerFailure,
                    plan.stated().retryWindow());
            compare(opened);
            return opened;
        });
        if (stopped) {
            scope.stop();
        }
        databases.values().forEach(WitnessedDatabase::scopeOpened);
        return scope;
    }

    /**
     * Opens a database. The caller must settle the transactions that the previous process left in doubt there, once {@link
     * WitnessedDatabase#settleable()} returns them.
     *
     * @param name the database's name within the node; the same after a restart
     * @return the database; the same one for the same name
     * @throws IllegalArgumentException if the name has the same hash as that of another open database
     * @throws IllegalStateException if this node was closed, and the database is not open
     * @throws StorageException if the file of the database's tokens cannot be used
     */
    public WitnessedDatabase database(String name) {
        String other = databaseNames.putIfAbsent(ClaimLayout.hash(name), name);
        if (other != null && !other.equals(name)) {
            throw new IllegalArgumentException("database=" + name + ": its name has the same hash as that of database "
                    + other + "; rename one of them");
        }
        WitnessedDatabase known = databases.get(name);
        if (known != null) {
            return known;
        }
        if (!claims.gate.enter()) { // a closed gate: the next node may use the database's file already
            throw new IllegalStateException("the node was closed");
        }
        try {
            return databases.computeIfAbsent(name, this::openDatabase);
        } finally {
            claims.gate.leave(1);
        }
    }

    private WitnessedDatabase openDatabase(String name) {
        int hash = ClaimLayout.hash(name);
        List<Entry> left = leftBehind.get(hash);
        SlotTokens known = SlotTokens.open(filters.path(), hash, records.capacity(), filters.boot(), id, left != null);
        WitnessedDatabase database = new WitnessedDatabase(name, id(), claims, known, tokens::next, this::behind);
        leftBehind.remove(hash);
        if (left != null) {
            left.stream().collect(Collectors.groupingBy(Entry::next)).values().forEach(database::recover);
        }
        database.compareFiles();
        scopes.values().stream()
                .filter(scope -> database.wasBehindWithin(scope.retryWindow))
                .forEach(ScopeClaims::noteLacking);
        if (watches.compareAndSet(false, true)) {
            startWatch();
        }
        return database;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // watch() handles its exceptions
    private void startWatch() {
        watch.scheduleWithFixedDelay(this::watch, WATCH.toMillis(), WATCH.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Detects a filter that lacks operations, because its file or the directory is an older copy. */
    private void compare(ScopeClaims scope) {
        if (databases.values().stream().anyMatch(database -> database.wasBehindWithin(scope.retryWindow))) {
            scope.noteLacking();
        }
        OperationId lacking = scope.heldBackFor().isZero() ? claims.lacking(scope) : null;
        if (lacking != null) {
            scope.noteLacking();
            log.atError()
                    .addKeyValue("scope", scope.scope())
                    .log(
                            "The filter of scope {} lacks the operation {}, which was applied: a file {}~*.fbf in {}"
                                    + " was removed, overwritten, or replaced by an older one. Operations of the scope"
                                    + " are refused for {}, while retries of missing operations may arrive.",
                            scope.scope(),
                            lacking,
                            scope.scope(),
                            filters,
                            DurationText.of(scope.heldBackFor()));
        }
    }

    /** Holds back all scopes, because the directory lacks commits, and the filters may lack operations. */
    private void behind() {
        scopes.values().forEach(ScopeClaims::noteLacking);
    }

    /**
     * Checks the files and the filters, and records that this process and its disk are alive. The next start compares the recorded time
     * with the witness's rows, to detect an older copy of the directory.
     */
    void watch() {
        try {
            claims.gate.ifOpen(() -> {
                filters.requireInPlace();
                records.requireInPlace();
                databases.values().forEach(WitnessedDatabase::noteAlive);
                scopes.values().forEach(this::compare);
                return true;
            });
        } catch (RuntimeException | Error e) {
            claims.fail(e);
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "fbf-watch");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * {@return the number of operations that the previous process left in doubt in databases that are not open; they stay claimed, and
     * their records stay unchanged}
     */
    public int leftInUnopenedDatabases() {
        return leftBehind.values().stream().mapToInt(List::size).sum();
    }

    /**
     * Returns the {@linkplain FilterStore#failure failure} of a scope's filter, or else the node's error. After a failed refresh operations
     * are still applied once.
     *
     * @return the error; null if there is none, or the scope is not open
     */
    public @Nullable Throwable failure(String scope) {
        Throwable ofFilter = filters.failure(scope);
        return ofFilter == null && scopes.containsKey(scope) ? failure() : ofFilter;
    }

    /** {@return the error that stopped all claims, because a file is gone or failed; null if there is none} */
    public @Nullable Throwable failure() {
        return claims.failure();
    }

    /** {@return whether admission was {@linkplain #stop() stopped}, by a caller or by a {@linkplain #failure() failure}} */
    public boolean isStopped() {
        return stopped || failure() != null;
    }

    /** Stops admission. Operations that are being applied can still complete. */
    public void stop() {
        stopped = true;
        scopes.values().forEach(ScopeClaims::stop);
    }

    /**
     * Waits until no operation is being applied, except those in doubt.
     *
     * @param timeout the longest time to wait
     * @return whether no operation is being applied; false if the wait was interrupted
     */
    public boolean drain(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (claims.gate.inside() > 0) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** {@return whether operations of a scope are being applied or in doubt} */
    public boolean isApplying(String scope) {
        ScopeClaims opened = scopes.get(scope);
        return opened != null && opened.held() > 0;
    }

    /** {@return the number of operations that are being applied or in doubt} */
    public int held() {
        return claims.held();
    }

    /**
     * Stops admission, marks the filters' shutdown as clean and releases the directory. If operations are still being applied, the call
     * does not wait: the last of them completes the close, or the death of the process releases the directory. Operations in doubt are left
     * to the next node.
     */
    @Override
    public void close() {
        stop();
        claims.gate.closeOnceEmpty(this::release);
        int left = claims.gate.inside();
        if (left > 0) {
            log.warn(
                    "{} operations are being applied while fbf is closed: the directory {} stays in use until they or"
                            + " this process have ended.",
                    left,
                    filters);
        }
    }

    /** Runs on any thread, including one that has just applied an operation and must not see a failure of the release. */
    private void release() {
        watch.shutdownNow();
        try {
            filters.close(() -> databases.values().forEach(WitnessedDatabase::close));
            log.debug("The directory {} is no longer in use.", filters);
        } catch (RuntimeException e) {
            log.error("The directory {} was not closed cleanly.", filters, e);
        } finally {
            records.release();
            databases.values().forEach(WitnessedDatabase::release);
        }
    }

    @Override
    public String toString() {
        return filters.toString();
    }
}
