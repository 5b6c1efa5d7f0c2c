package dev.fbf.core.guard;

import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.guard.ClaimRecords.Entry;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Keeps what a {@link Durability} promises to keep. Without more, that is what the operating system keeps: every store. */
interface Safekeeping extends AutoCloseable {

    /** Forces nothing, and restores nothing. */
    Safekeeping OF_PROCESS = new Safekeeping() {};

    /**
     * A transaction is about to commit: returns when its claims survive.
     *
     * @throws dev.fbf.core.StorageException if they do not; it must not commit then
     */
    default void beforeCommit(Collection<Entry> claims) {}

    /** A transaction that was about to commit has ended; its slot and its records are not free yet. */
    default void ended(int database, int slot, long next, boolean committed) {}

    /** Returns when all that was told before survives. */
    default void force() {}

    /** Names the log from which filters are restored; 0 if there is none. */
    default long log() {
        return 0;
    }

    /** A scope was opened. Gives its filter what a power failure may have taken, and keeps that for as long as it does. */
    default void opened(int scope, ForgetfulBloomFilter filter) {}

    /** All that was told is in the filters, and these are on the disk. */
    default void forget() {}

    /** What keeps it from forcing anything any more; null if nothing does. */
    default @Nullable Throwable failure() {
        return null;
    }

    @Override
    default void close() {}
}
