package dev.fbf.core.claim;

import dev.fbf.core.claim.ClaimRecords.Entry;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Makes claims durable as promised by {@link Durability}. The default methods rely on the operating system, which keeps every store. */
interface Safekeeping extends AutoCloseable {

    /** Neither forces nor restores. */
    Safekeeping OF_PROCESS = new Safekeeping() {};

    /**
     * Starts making the claims of a transaction durable, and returns immediately.
     *
     * @return the force that {@link #await} waits for; 0 if there is none
     * @throws dev.fbf.core.StorageException if the disk is full now; the transaction may still commit after {@link #beforeCommit}
     */
    default long start(Collection<Entry> claims) {
        return 0;
    }

    /**
     * Blocks until the claims survive the failures that the {@link Durability} promises.
     *
     * @param force the return value of {@link #start}
     * @throws dev.fbf.core.StorageException if they are not durable; the transaction must not commit then
     */
    default void await(long force) {}

    /**
     * Makes the claims of a transaction durable that is about to commit; replaces an earlier {@link #start} with other claims.
     *
     * @throws dev.fbf.core.StorageException if they are not durable; the transaction must not commit then
     */
    default void beforeCommit(Collection<Entry> claims) {}

    /**
     * Records the end of a transaction that was about to commit; its slot and its records are not free yet.
     *
     * @param committedAt the time of its commit, by the filter's clock; 0 if it did not commit
     */
    default void ended(int database, int slot, long next, long committedAt) {}

    /** Makes all earlier records durable. */
    default void force() {}

    /** Returns the id of the log from which filters are restored; 0 if there is none. */
    default long log() {
        return 0;
    }

    /**
     * Restores the operations that a power failure may have taken from the filter of an opened scope. From now on, keeps the scope's
     * operations for its window.
     */
    default void opened(int scope, ForgetfulBloomFilter filter) {}

    /** Deletes the records after the filters, with all operations, were forced to the disk. */
    default void forget() {}

    /** Returns the error that ended all forces; null if there is none. */
    default @Nullable Throwable failure() {
        return null;
    }

    @Override
    default void close() {}
}
