package dev.fbf.core.guard;

import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Keeps what a {@link Durability} promises to keep. */
interface Safekeeping extends AutoCloseable {

    /** Returns when all claims that were written before survive. */
    void forceClaims();

    /** Frees claims, now or soon, when all that was put into the filters before survives. */
    void onceForced(Set<ForgetfulBloomFilter> filters, Runnable free);

    /** What the last forcing of the filters failed by, whose claims stay where they are; null if it did not. */
    default @Nullable Throwable failure() {
        return null;
    }

    @Override
    void close();

    /** Nothing to force: the operating system keeps every store. */
    Safekeeping OF_PROCESS = new Safekeeping() {
        @Override
        public void forceClaims() {
            // the store is enough
        }

        @Override
        public void onceForced(Set<ForgetfulBloomFilter> filters, Runnable free) {
            free.run();
        }

        @Override
        public void close() {
            // there is nothing to wait for
        }
    };
}
