package dev.fbf.core.witness;

import dev.fbf.core.StorageException;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Safekeeping that forces claims to the disk, for many transactions at a time, so that they survive a power loss. */
final class HostSafekeeping implements Safekeeping {

    /*
     * A thread that arrives while another one forces waits for it; then one of the waiting threads forces for all of
     * them. `arrived` counts the threads that have arrived, `forced` those whose claims are on the disk. The lock is not
     * held while forcing: a thread whose claims are forced does not wait behind others, and a thread that arrives repeatedly cannot force
     * for itself alone. A dedicated thread forces for callers that do not wait.
     *
     * After an end that was not clean the filters are restored from the log even if the machine did not go down: an
     * earlier process may have ended before it had restored them, or the file system may have failed and recovered. The records of the
     * claims are restored, too. The file may have a record whose transaction the log lacks: the transaction never sent its COMMIT, or the
     * log is older than the file.
     *
     *   the log has an open transaction of the same slot          it has ended: the record shows the token that it left
     *   the log has one with the same record index or operation   only the log's is kept: an unforced record may be an older one
     *   otherwise                                                 both are kept
     *
     * The log is kept for the longest window of its scopes. A scope that is opened later, with a longer window, must find its operations
     * there after a second failure, too: so all of the log is kept until every scope that it names is open, but at most for the longest
     * possible window. A scope that the application no longer has is never opened.
     *
     * After a failure there are no more forces: the operating system reports a page that could not be written only
     * once, and a later success would not cover it. If only a new segment cannot be created, that does not count as a failure.
     */
    private static final Logger log = LoggerFactory.getLogger(HostSafekeeping.class);

    /** Upper bound for the windows of the scopes that are not open yet: a retry window has at most 30 days. */
    private static final Duration LONGEST_WINDOW = Duration.ofDays(45);

    private final ClaimLog claims;
    private final LogStore store;
    private final Runnable onFailure;
    private final ClaimLog.Left left;
    private final long number;

    /**
     * Logged operations, by the hash of their scope, until the scope is opened. The log is read once, because it can be hundreds of
     * megabytes long.
     */
    private final Map<Integer, LoggedOperations> committed = new ConcurrentHashMap<>();

    /** Transactions without an end in the log, which have ended according to the file. */
    private final List<Ended> ended = new ArrayList<>();

    private record Ended(Entry logged, boolean hasCommitted) {

        /** Logs the end, with the time at which the claims were logged: a later one is not known. */
        void log(ClaimLog log) {
            log.ended(logged.database(), logged.slot(), logged.next(), hasCommitted ? logged.claimedAt() : 0);
        }
    }

    /** Longest window of the open scopes. Guarded by this. */
    private Duration longest = Duration.ZERO;

    private final AtomicLong arrived = new AtomicLong();
    private final Lock lock = new ReentrantLock();
    private final Condition hasForced = lock.newCondition();
    private final ExecutorService early;
    private final AtomicBoolean forcesEarly = new AtomicBoolean();

    private boolean forcing;
    private long forced;
    private volatile @Nullable Throwable failure;

    /**
     * Reads the log of earlier processes.
     *
     * @param onFailure runs once, when the first force or write fails
     */
    HostSafekeeping(LogStore store, Runnable onFailure) {
        this(store, onFailure, Executors.newSingleThreadExecutor(HostSafekeeping::daemon));
    }

    /**
     * Reads the log as the other constructor does, with a given thread for early forces.
     *
     * @param onFailure runs once, when the first force or write fails
     * @param early the thread that forces for callers that do not wait
     */
    HostSafekeeping(LogStore store, Runnable onFailure, ExecutorService early) {
        this.store = store;
        this.onFailure = onFailure;
        this.early = early;
        claims = new ClaimLog(store);
        left = claims.read(this::restoreLater);
        number = left.number() != 0 ? left.number() : new SecureRandom().nextLong() >>> 16 | 1;
    }

    private void restoreLater(Entry committedClaim) {
        committed
                .computeIfAbsent(committedClaim.scope(), scope -> new LoggedOperations())
                .add(committedClaim);
    }

    /**
     * Returns the records of the claims that the previous process left. The log supplies records that the file has lost.
     *
     * @param inFile the records in the file
     */
    List<Entry> restored(List<Entry> inFile) {
        List<Entry> unknown =
                inFile.stream().filter(entry -> !left.knows(entry)).toList();
        List<Entry> open = new ArrayList<>();
        for (Entry logged : left.open()) {
            Entry later = sameSlot(unknown, logged);
            if (later == null) {
                open.add(logged);
            } else {
                Ended end = new Ended(logged, later.previous() == logged.next());
                ended.add(end);
                if (end.hasCommitted) {
                    restoreLater(logged);
                }
            }
        }
        Set<Object> taken = LeftBehind.keys(open);
        return Stream.concat(
                        open.stream(),
                        LeftBehind.transactions(unknown).stream()
                                .filter(transaction -> Collections.disjoint(taken, LeftBehind.keys(transaction)))
                                .flatMap(List::stream))
                .toList();
    }

    private static @Nullable Entry sameSlot(List<Entry> entries, Entry of) {
        return entries.stream()
                .filter(entry -> entry.database() == of.database() && entry.slot() == of.slot())
                .findAny()
                .orElse(null);
    }

    /** Returns whether the previous process has left a log: it did not end cleanly, or left operations in doubt. */
    boolean hasLeft() {
        return left.number() != 0;
    }

    /**
     * Continues the log. Restored records must be on the disk.
     *
     * @param boot the current boot id; 0 if it is unknown
     * @param maxOpen the maximum number of open transactions
     */
    void begin(long boot, int maxOpen) {
        run(() -> {
            claims.opened(boot, number, maxOpen);
            ended.forEach(end -> end.log(claims));
        });
        force();
    }

    @Override
    public long log() {
        return number;
    }

    @Override
    public void opened(int scope, ForgetfulBloomFilter filter) {
        LoggedOperations operations = committed.get(scope);
        if (operations != null) {
            operations.restoreIn(filter);
        }
        synchronized (this) {
            committed.remove(scope);
            Duration window = filter.plan().window();
            longest = window.compareTo(longest) > 0 ? window : longest;
            boolean isAllOpen = committed.isEmpty() || longest.compareTo(LONGEST_WINDOW) > 0;
            store.keepFor((isAllOpen ? longest : LONGEST_WINDOW).toMillis());
        }
    }

    @Override
    public void forget() {
        if (failure == null) {
            store.delete();
        }
    }

    /**
     * Logs the claims of a transaction and starts a force, without waiting for it.
     *
     * @return the force that {@link #await} waits for
     * @throws StorageException if a new segment cannot be created, and the transaction may still commit after {@link #beforeCommit}; or if
     *     a force or write has failed
     */
    long start(Collection<Entry> transaction) {
        requireSound();
        run(() -> claims.begun(transaction));
        long me = arrived.incrementAndGet();
        if (forcesEarly.compareAndSet(false, true)) {
            early.execute(this::forceEarly);
        }
        return me;
    }

    private void forceEarly() {
        forcesEarly.set(false); // reset before forcing: a thread that arrives later needs another force
        try {
            await(arrived.get()); // no effect if another thread has forced already
        } catch (RuntimeException e) {
            log.debug("All waiting threads get the failure.", e);
        }
    }

    /**
     * Logs and forces the claims of a transaction that is about to commit; replaces an earlier {@link #start} with other claims.
     *
     * @throws StorageException if they are not on the disk; the transaction must not commit then
     */
    void beforeCommit(Collection<Entry> transaction) {
        requireSound();
        if (!transaction.isEmpty()) {
            run(() -> claims.begun(transaction));
        }
        // even if nothing is logged now: the row loses the previous transaction's token, so the log must have its end
        force();
    }

    /**
     * Logs the end of a transaction that was about to commit; its slot and its records are not free yet.
     *
     * @param committedAt the time of its commit, by the filter's clock; 0 if it did not commit
     */
    void ended(int database, int slot, long next, long committedAt) {
        if (failure == null) {
            try {
                run(() -> claims.ended(database, slot, next, committedAt));
            } catch (RuntimeException e) {
                log.debug("No transaction commits any more, so none uses the slot again.", e);
            }
        }
    }

    @Override
    public void force() {
        await(arrived.incrementAndGet());
    }

    /**
     * Blocks until a force has ended.
     *
     * @param force the return value of {@link #start}
     * @throws StorageException if a force or write has failed; the transaction must not commit then
     */
    void await(long force) {
        requireSound();
        lock.lock();
        try {
            while (forcing && forced < force) {
                hasForced.awaitUninterruptibly();
            }
            if (forced >= force) {
                return;
            }
            forcing = true;
        } finally {
            lock.unlock();
        }
        forceForAll();
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public void close() {
        early.shutdown();
        try {
            early.awaitTermination(1, TimeUnit.MINUTES); // at most one force is left, without a COMMIT
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        store.close();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "fbf-force");
        thread.setDaemon(true);
        return thread;
    }

    private void forceForAll() {
        long before = 0;
        try {
            requireSound();
            long all = arrived.get(); // later arrivals may have written too late for this force
            run(store::force);
            before = all;
        } finally {
            lock.lock();
            try {
                forcing = false;
                forced = Math.max(forced, before);
                hasForced.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private void run(Runnable access) {
        try {
            access.run();
        } catch (StorageException e) {
            throw e; // no segment was created: the log is intact
        } catch (RuntimeException e) {
            fail(e);
            throw unsound(e);
        } catch (Error e) {
            fail(e);
            throw e;
        }
    }

    private void fail(Throwable e) {
        synchronized (this) {
            if (failure != null) {
                return;
            }
            failure = e;
        }
        log.error("The claims cannot be forced to the disk: no operation is admitted. Check it, and restart.", e);
        onFailure.run();
    }

    private void requireSound() {
        Throwable known = failure;
        if (known != null) {
            throw unsound(known);
        }
    }

    private static StorageException unsound(Throwable failure) {
        return new StorageException(
                "The claims could not be forced to the disk: " + failure + ".",
                "Check the disk, and restart the application.",
                failure);
    }
}
