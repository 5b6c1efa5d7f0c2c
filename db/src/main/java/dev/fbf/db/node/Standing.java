package dev.fbf.db.node;

import dev.fbf.db.node.NodeLease.Self;
import java.time.Duration;
import java.util.UUID;

/**
 * The permission of this process to apply operations in a scope, according to the registry.
 *
 * @param rest the remaining time in which retries of earlier operations can arrive
 * @param node the node or {@linkplain Self#LEDGER ledger} that applied the earlier operations; if refused, the node with the lease
 * @param whose a readable name of that node
 */
record Standing(State state, Duration rest, UUID node, String whose) {

    /** UNKNOWN → HELD | HELD_BACK | REFUSED, each → any other at a new registration; all → UNKNOWN when the process resumes. */
    enum State {
        /** The registry has not responded yet. */
        UNKNOWN,
        /** The process holds the lease and may apply operations until the lease expires. */
        HELD,
        /** The process holds the lease but must wait: retries of operations that it does not know can still arrive. */
        HELD_BACK,
        /** Another live process holds the lease. */
        REFUSED
    }

    static final Standing UNKNOWN = new Standing(State.UNKNOWN, Duration.ZERO, Self.LEDGER, "");

    static Standing held(Self self, Duration rest) {
        return new Standing(State.HELD, rest, self.memory(), self.process());
    }

    /** Returns whether the state and the other node are the same. */
    boolean isLike(Standing other) {
        return state == other.state && node.equals(other.node);
    }
}
