package dev.fbf.db.node;

import dev.fbf.db.node.NodeLease.Self;
import java.time.Duration;
import java.util.UUID;

/**
 * The permission of this process to apply operations in a scope, according to the registry.
 *
 * @param rest how much longer retries of operations that were applied before can arrive
 * @param node the node that is the reason: it applied those operations, or applies operations now
 * @param whose that node, as text for people
 */
record Standing(State state, Duration rest, UUID node, String whose) {

    /** UNKNOWN → HELD | HELD_BACK | REFUSED, and from each to any other when the process registers again; all → UNKNOWN by a restart. */
    enum State {
        /** The registry has not responded yet. */
        UNKNOWN,
        /** The process holds the lease, and may apply operations until that lapses. */
        HELD,
        /** The process holds the lease, and waits: retries can arrive of operations that it does not know. */
        HELD_BACK,
        /** Another node that is alive holds the lease. */
        REFUSED
    }

    static final Standing UNKNOWN = new Standing(State.UNKNOWN, Duration.ZERO, Self.LEDGER, "");

    static Standing held(Self self, Duration rest) {
        return new Standing(State.HELD, rest, self.memory(), self.process());
    }

    /** Whether the reason is the same. */
    boolean isLike(Standing other) {
        return state == other.state && node.equals(other.node);
    }
}
