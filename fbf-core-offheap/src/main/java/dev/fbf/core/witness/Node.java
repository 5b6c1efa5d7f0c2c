package dev.fbf.core.witness;

import dev.fbf.core.StorageException;
import dev.fbf.core.file.LockedDirectory;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Scopes of a process, with their filters and claims. Kept in a directory, which determines the {@link #id()}. Thread-safe. */
public final class Node implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Node.class);

    private final LockedDirectory directory;
    private final FilterStore filters;
    private final UUID id;
    private final int slots;
    private final RecordedClaims claims;
    private final boolean holdsBack;
    private final Map<String, ScopeClaims> scopes = new ConcurrentHashMap<>();
    private final Map<String, WitnessedDatabase> databases = new ConcurrentHashMap<>();
    private final Map<Long, List<Entry>> leftBehind;

    /** A random start, so that no two processes generate the same token. */
    private final AtomicLong lastToken = new AtomicLong(new SecureRandom().nextLong());

    private Node(LockedDirectory directory, FilterStore filters, int maxClaims, boolean holdsBack) {
        this.directory = directory;
        this.filters = filters;
        this.holdsBack = holdsBack;
        ClaimRecords records = ClaimRecords.open(directory.path(), maxClaims);
        List<Entry> left = records.leftBehind();
        claims = new RecordedClaims(records, maxClaims, left, directory::requireInPlace);
        id = records.node();
        slots = records.capacity();
        filters.onFault(claims::fail);
        leftBehind = new ConcurrentHashMap<>(left.stream().collect(Collectors.groupingBy(Entry::database)));
    }

    /**
     * Opens a directory for exclusive use by this process. Creates it if it does not exist.
     *
     * @param maxClaims the maximum number of operations that are being applied or in doubt, from 1 to 16,777,216
     * @param holdsBack whether operations are refused for a window after a power failure while a filter was open, which is detected on Linux
     *     only. The filter may lack the operations of the last minute before it; otherwise their retries are applied again
     * @return the node, to be closed
     * @throws StorageException if the directory is already open, in this process or another; it cannot be used; a file in it is damaged; or
     *     the disk has no room
     */
    public static Node open(Path path, int maxClaims, boolean holdsBack) {
        if (maxClaims < 1 || maxClaims > ClaimLayout.MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "maxClaims=" + maxClaims + ": must be from 1 to " + ClaimLayout.MAX_CAPACITY);
        }
        LockedDirectory directory = LockedDirectory.open(path);
        FilterStore filters = FilterStore.in(directory);
        try {
            return new Node(directory, filters, maxClaims, holdsBack);
        } catch (RuntimeException | Error e) {
            filters.close();
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
     * @param name the scope's name, matching {@link dev.fbf.core.OperationId#SCOPE}
     * @param plan the filter's plan; ignored if the scope is open already
     * @return the scope, usable until this node is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope's name is not allowed
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
                    holdsBack,
                    plan.stated().retryWindow());
            if (claims.wereOlderWithin(opened.retryWindow())) {
                opened.noteLacking();
            }
            return opened;
        });
        databases.values().forEach(database -> database.listener.run());
        return scope;
    }

    /**
     * Opens a database. The caller must settle the transactions that the previous process left in doubt there, once {@link
     * WitnessedDatabase#settleable()} returns them.
     *
     * @param name the database's name within the node; the same after a restart
     * @return the database; the same one for the same name
     * @throws IllegalStateException if this node was closed, and the database is not open
     */
    public WitnessedDatabase database(String name) {
        WitnessedDatabase known = databases.get(name);
        if (known != null) {
            return known;
        }
        return claims.gate.inside(() -> databases.computeIfAbsent(name, this::openDatabase));
    }

    private WitnessedDatabase openDatabase(String name) {
        WitnessedDatabase database = new WitnessedDatabase(name, id(), claims, slots, this::newToken);
        List<Entry> left = leftBehind.remove(database.hash);
        if (left != null) {
            left.stream().collect(Collectors.groupingBy(Entry::next)).values().forEach(database::recover);
        }
        return database;
    }

    /** Returns a positive token. */
    private long newToken() {
        long token;
        do {
            token = lastToken.incrementAndGet() & Long.MAX_VALUE;
        } while (token == WitnessedDatabase.NO_TOKEN);
        return token;
    }

    /** {@return whether the directory may be a copy of the one that the last process used, which may be alive} */
    public boolean isOnCopy() {
        return directory.isOnCopy();
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

    /** {@return whether operations are being applied, apart from those in doubt} */
    public boolean isApplying() {
        return claims.applying() > 0;
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
        claims.stop();
        claims.gate.closeOnceEmpty(this::release);
        if (isApplying()) {
            log.warn(
                    "{} operations are being applied while fbf is closed: the directory {} stays in use until they or"
                            + " this process have ended.",
                    claims.applying(),
                    directory);
        }
    }

    /** Runs on any thread, including one that has just applied an operation and must not see a failure of the release. */
    private void release() {
        try {
            filters.close();
            log.debug("The directory {} is no longer in use.", directory);
        } catch (RuntimeException | Error e) {
            log.error("The directory {} was not closed cleanly.", directory, e);
        }
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
