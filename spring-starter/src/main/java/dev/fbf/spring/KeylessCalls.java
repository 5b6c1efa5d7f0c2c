package dev.fbf.spring;

/** Hears of the calls that came without a key and were let through unguarded. Implementations are thread-safe. */
@FunctionalInterface
interface KeylessCalls {

    /** Where nobody counts them. */
    KeylessCalls UNCOUNTED = scope -> {};

    /** A call is about to reach its method, unguarded. */
    void passed(String scope);
}
