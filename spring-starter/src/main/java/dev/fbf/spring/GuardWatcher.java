package dev.fbf.spring;

import dev.fbf.core.guard.Guard;

/** Hears of what is guarded: at once of what is open by then, and of the rest when it is opened. */
interface GuardWatcher {

    /** A scope has a guard. */
    void opened(Guard guard);

    /** A database decides on operations. */
    void opened(GuardedDatabase database);
}
