package dev.fbf.db;

import dev.fbf.core.claim.Refusal;
import org.jspecify.annotations.Nullable;

/** The outcome of a transaction whose COMMIT got no response. The first two are final. */
public enum TransactionOutcome {
    /** The transaction committed. */
    COMMITTED,
    /** The transaction did not commit, and never can. */
    NOT_COMMITTED,
    /** Another transaction, most likely this one, still holds a lock that the settlement needs: settle again later. */
    STILL_RUNNING,
    /** The database shows neither: it went back in time, or a second process has this node's name. */
    UNKNOWN;

    /** Why its operations are not to be applied again; null if they are new. */
    public @Nullable Refusal refusal() {
        return switch (this) {
            case COMMITTED -> Refusal.APPLIED;
            case NOT_COMMITTED -> null;
            case STILL_RUNNING, UNKNOWN -> Refusal.IN_DOUBT;
        };
    }
}
