package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.db.Arbiter;
import dev.fbf.spring.OperationRefusedException;

/**
 * The last check of an operation's key, before the operation is entered.
 *
 * @param check throws if an operation that is not known to be applied may not be applied now
 * @param arbiter may know the operation all the same: another node of the ledger has applied it
 */
record LastCheck(Runnable check, Arbiter arbiter) {

    /** Runs the check. */
    void run() {
        check.run();
    }

    /**
     * Runs the check, and asks the ledger if the operation may not be applied.
     *
     * @return whether the ledger has the operation; false if the operation may be applied
     * @throws OperationRefusedException if neither
     */
    boolean isRecorded(OperationId id) {
        try {
            check.run();
            return false;
        } catch (OperationRefusedException e) {
            if (!arbiter.hasRecorded(id)) {
                throw e;
            }
            return true;
        }
    }
}
