package dev.fbf.core.claim;

import dev.fbf.core.claim.ClaimRecords.Entry;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what a {@link Durability} promises. The default methods rely on the operating system, which keeps every store.
 */
interface Safekeeping extends AutoCloseable {

    /** Forces nothing, and restores nothing. */
    Safekeeping OF_PROCESS = new Safekeeping() {};

    /**
     * Starts to keep the claims of a transaction that may commit, and returns at once.
     *
     * @return the force that {@link #await} waits for; 0 if there is none
     * @throws dev.fbf.core.StorageException if there is no room, now; the transaction may commit nevertheless
     */
    default long start(Collection<Entry> claims) {
        return 0;
    }

    /**
     * Blocks until the claims survive the failures that the {@link Durability} promises.
     *
     * @param force the return value of {@link #start}
     * @throws dev.fbf.core.StorageException if they cannot be made to survive; the transaction must not commit then
     */
    default void await(long force) {}

    /**
     * Returns when the claims of a transaction that is about to commit survive, in place of those that were started.
     *
     * @throws dev.fbf.core.StorageException if they do not; the transaction must not commit then
     */
    default void beforeCommit(Collection<Entry> claims) {}

    /**
     * Records the end of a transaction that was about to commit; its slot and its records are not free yet.
     *
     * @param committedAt when it committed, by the filter's clock; 0 if it did not
     */
    default void ended(int database, int slot, long next, long committedAt) {}

    /** Returns when everything recorded before survives. */
    default void force() {}

    /** Returns the id of the log from which filters are restored; 0 if there is none. */
    default long log() {
        return 0;
    }

    /**
     * Restores the operations that a power failure may have taken from the filter of an opened scope, and keeps its
     * operations for as long as its window from now on.
     */
    default void opened(int scope, ForgetfulBloomFilter filter) {}

    /** Deletes the records: the filters have all operations, and are on the disk. */
    default void forget() {}

    /** Returns the error since which nothing can be forced; null if there is none. */
    default @Nullable Throwable failure() {
        return null;
    }

    @Override
    default void close() {}
}
