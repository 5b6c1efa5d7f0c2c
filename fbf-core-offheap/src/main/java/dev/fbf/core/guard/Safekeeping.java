package dev.fbf.core.guard;

import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.guard.ClaimLog.LoggedClaim;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Keeps what a {@link Durability} promises to keep. */
interface Safekeeping extends AutoCloseable {

    /** A transaction is about to commit: returns when its claims survive. */
    void beforeCommit(Collection<LoggedClaim> claims);

    /** A transaction that was about to commit has ended; its slot and its records are not free yet. */
    void ended(int database, int slot, long next, boolean committed);

    /** Returns when all that was told before survives. */
    void force();

    /** A scope was opened. Gives its filter what a power failure may have taken, and keeps that for as long as it does. */
    void opened(int scope, ForgetfulBloomFilter filter);

    /** All that was told is in the filters, and these are on the disk. */
    void forget();

    /** Names the log from which filters are restored; 0 if there is none. */
    default long log() {
        return 0;
    }

    /** What keeps it from forcing anything any more; null if nothing does. */
    default @Nullable Throwable failure() {
        return null;
    }

    @Override
    void close();

    /** Nothing to force: the operating system keeps every store. */
    Safekeeping OF_PROCESS = new Safekeeping() {
        @Override
        public void beforeCommit(Collection<LoggedClaim> claims) {
            // the store is enough
        }

        @Override
        public void ended(int database, int slot, long next, boolean committed) {
            // the filter knows
        }

        @Override
        public void force() {
            // the store is enough
        }

        @Override
        public void opened(int scope, ForgetfulBloomFilter filter) {
            // what a power failure takes is lost
        }

        @Override
        public void forget() {
            // nothing was written
        }

        @Override
        public void close() {
            // there is nothing to close
        }
    };
}
