package dev.fbf.core.memory;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Error for an access to a mapped file that had no effect, or that returned content which fbf did not write. */
public final class MappedFault extends InternalError {

    /*
     * The operating system refuses access to a page of a mapped file (SIGBUS) if the page needs a block and the disk is full, if the file
     * was truncated, or if the disk has failed. The JVM then skips the access: a store has no effect, a load returns an arbitrary value,
     * and a compare-and-set may do either. It throws an InternalError in the same thread, but some time later: possibly in the database's
     * driver, after a COMMIT. So important stores are read back. If one is missing, the JVM's error is awaited here, so that it does not
     * surface in other code, and is replaced by the error of this class.
     *
     * An access is repeated at most MAX_ATTEMPTS times: a word that never changes, or changes each time, must not block a thread forever.
     */

    /** Attempts after which an access counts as failed. Other threads cannot interfere nearly as often: a word has 64 bits. */
    public static final int MAX_ATTEMPTS = 10_000;

    private static final long serialVersionUID = 1L;

    private MappedFault(String message, @Nullable InternalError cause) {
        super(message, cause);
    }

    /**
     * Creates an error, to be thrown.
     *
     * @param file the file, or its words
     * @param what a clause without a period
     */
    public static MappedFault of(Object file, String what) {
        InternalError pending = pending(); // checked first, because it can be thrown at any later step
        return new MappedFault(
                file + ": " + what
                        + ", because the disk is full or has failed, or another program has changed the file",
                pending);
    }

    /** Takes the JVM's error; null if there is none. */
    private static @Nullable InternalError pending() {
        try {
            // the JVM throws it after filling in a stack trace (JDK 17, interpreted and compiled; newer JDKs have
            // thrown it before)
            Objects.requireNonNull(Thread.currentThread().getStackTrace());
            return null;
        } catch (InternalError e) {
            return e;
        }
    }
}
