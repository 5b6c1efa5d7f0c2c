package dev.fbf.core.witness;

import dev.fbf.core.filter.ForgetfulBloomFilter;
import org.jspecify.annotations.Nullable;

/**
 * Storage that makes claims as durable as {@link Durability} promises. The default methods rely on the operating system, which keeps
 * every store.
 */
interface Safekeeping extends AutoCloseable {

    /** Safekeeping that neither forces nor restores. */
    Safekeeping OF_PROCESS = new Safekeeping() {};

    /** Makes all earlier entries of the log durable. */
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

    /** Deletes the log, unless it has failed. Called after the filters with all operations were forced to the disk. */
    default void forget() {}

    /** Returns the error that ended all forces; null if there is none. */
    default @Nullable Throwable failure() {
        return null;
    }

    @Override
    default void close() {}
}
