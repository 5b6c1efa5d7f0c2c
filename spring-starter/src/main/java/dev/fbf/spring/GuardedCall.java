package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * The call of a guarded method that this thread is in, from the begin of its transaction to the end of the method.
 *
 * @param enlistment what makes its operation part of that transaction; null if it has no key and needs none
 */
record GuardedCall(@Nullable Enlistment enlistment) {

    private static final ThreadLocal<@Nullable GuardedCall> CURRENT = new ThreadLocal<>();

    /** The innermost one; null outside of any. */
    static @Nullable GuardedCall current() {
        return CURRENT.get();
    }

    /** Calls the method. */
    @Nullable Object run(Body body) throws Throwable {
        GuardedCall outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return body.proceed();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** The method. */
    interface Body {
        @Nullable Object proceed() throws Throwable;
    }
}
