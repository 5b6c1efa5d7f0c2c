package dev.fbf.db.witness;

import dev.fbf.db.witness.NodeLease.Self;
import java.time.Duration;
import java.util.UUID;

/**
 * The permission of this process to apply operations in a scope, according to the registry.
 *
 * @param rest the remaining time in which retries of earlier operations can arrive
 * @param node the node that applied the earlier operations, or {@link #NONE} for ledger mode; if refused, the node with the lease
 * @param whose a readable name of that node
 */
record Standing(State state, Duration rest, UUID node, String whose) {

    /** UNKNOWN → HELD | HELD_BACK | REFUSED | TURNED | ELSEWHERE, each → any other at a new registration; all → UNKNOWN when the process resumes. */
    enum State {
        /** The registry has not responded yet. */
        UNKNOWN,
        /** The process holds the lease and may apply operations until the lease expires. */
        HELD,
        /** The process must wait: retries of operations that it does not know can still arrive. */
        HELD_BACK,
        /** Another live process holds the lease. */
        REFUSED,
        /** The scope is in ledger mode since a process has turned it. */
        TURNED,
        /** This process applies the scope's operations in another database. */
        ELSEWHERE
    }

    private static final UUID NONE = new UUID(0, 0);

    static final Standing UNKNOWN = new Standing(State.UNKNOWN, Duration.ZERO, NONE, "");

    static final Standing TURNED = new Standing(State.TURNED, Duration.ZERO, NONE, "");

    static final Standing ELSEWHERE = new Standing(State.ELSEWHERE, Duration.ZERO, NONE, "");

    static Standing held(Self self) {
        return new Standing(State.HELD, Duration.ZERO, self.node(), self.process());
    }

    /** Returns this standing in a scope that is held back, for a time that may be zero, because it was in ledger mode. */
    Standing afterLedgerMode(Duration time) {
        boolean isLonger = time.compareTo(state == State.HELD_BACK ? rest : Duration.ZERO) > 0;
        return isLonger ? new Standing(State.HELD_BACK, time, NONE, "processes in ledger mode") : this;
    }

    /** Returns whether the state and the other node are the same. */
    boolean isLike(Standing other) {
        return state == other.state && node.equals(other.node);
    }
}
