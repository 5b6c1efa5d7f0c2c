package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * The call of guarded work that this thread is in, from the begin of its transaction to its return.
 *
 * @param enlistment what makes its operation part of that transaction; null if it has no key and needs none
 */
record GuardedCall(@Nullable Enlistment enlistment) {

    private static final ThreadLocal<@Nullable GuardedCall> CURRENT = new ThreadLocal<>();

    /** The innermost one; null outside of any. */
    static @Nullable GuardedCall current() {
        return CURRENT.get();
    }

    /** Calls the work. */
    <T, E extends Throwable> @Nullable T run(Work<T, E> work) throws E {
        GuardedCall outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** The work. */
    @FunctionalInterface
    interface Work<T, E extends Throwable> {
        @Nullable T run() throws E;
    }
}
