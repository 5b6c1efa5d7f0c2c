package dev.fbf.core.witness;

import dev.fbf.core.witness.ClaimRecords.Entry;
import java.util.List;

/** State of a transaction in the log, up to its end. */
final class LoggedTransaction {

    /**
     * NONE -> STARTED -> BEGUN; NONE -> BEGUN. A rollback to a savepoint leads from each state to NONE: COMMIT would not apply all
     * logged claims.
     */
    private sealed interface Progress permits Step, Started {}

    private enum Step implements Progress {
        NONE,
        BEGUN
    }

    /**
     * The claims are logged, and a force of the log is in progress.
     *
     * @param claims the number of logged claims
     * @param force the argument of {@link HostSafekeeping#await}
     */
    private record Started(int claims, long force) implements Progress {}

    private final HostSafekeeping safekeeping;
    private final int database;
    private final int slot;
    private final long next;
    private volatile Progress progress;

    LoggedTransaction(HostSafekeeping safekeeping, int database, int slot, long next, boolean begun) {
        this.safekeeping = safekeeping;
        this.database = database;
        this.slot = slot;
        this.next = next;
        progress = begun ? Step.BEGUN : Step.NONE;
    }

    /** Logs the claims, and starts to force them. */
    void start(List<Entry> claims) {
        progress = new Started(claims.size(), safekeeping.start(claims));
    }

    /** Blocks until the claims would survive a power failure. Reuses the force that was started, unless the claims have changed since. */
    void beforeCommit(List<Entry> claims) {
        if (progress instanceof Started started && started.claims == claims.size()) {
            safekeeping.await(started.force);
        } else {
            if (claims.isEmpty()) {
                outdateRecords();
            }
            safekeeping.beforeCommit(claims);
        }
        progress = Step.BEGUN;
    }

    /**
     * Logs an end without a begin, before the row gets a token of this transaction, none of whose claims commits. After a power failure the
     * disk may still have records of this transaction or an earlier one in the slot, and the token must not decide on them.
     */
    void outdateRecords() {
        if (progress == Step.NONE) {
            safekeeping.ended(database, slot, next, 0);
        }
    }

    /** Withdraws the logged claims. */
    void takeBack(boolean hasClaims) {
        if (hasClaims) {
            ended(0);
        }
        progress = Step.NONE;
    }

    /**
     * Logs the end if the log has the begin.
     *
     * @param committedAt the time of the COMMIT by the filter's clock; 0 if the transaction did not commit
     */
    void ended(long committedAt) {
        if (progress != Step.NONE) {
            safekeeping.ended(database, slot, next, committedAt);
        }
    }
}
