package dev.fbf.spring.jdbc;

import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.db.Counters;

/** Hears of what is guarded: at once of what is open by then, and of the rest when it is opened. */
public interface GuardWatcher {

    /** A scope has a guard. */
    void opened(ScopeClaims guard);

    /** Increments are applied together with others. */
    default void opened(String scope, Counters counters) {}

    /** A database decides on operations. */
    void opened(GuardedDatabase database);
}
