package dev.fbf.spring.operation;

import org.jspecify.annotations.Nullable;

/** Surrounds a call of guarded work with that which makes it take part in its operation, such as a transaction. */
public interface CallContext {

    /** The work. */
    @FunctionalInterface
    interface Work<T, E extends Throwable> {
        @Nullable T run() throws E;
    }

    /**
     * Calls the work.
     *
     * @return what the work has returned; null, too, if it was not called, and the operation knows why
     */
    <T, E extends Throwable> @Nullable T call(Work<T, E> work) throws E;
}
