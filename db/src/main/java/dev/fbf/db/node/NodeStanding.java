package dev.fbf.db.node;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a node may do in a scope beside the other nodes of it.
 *
 * @param right what it may do
 * @param holdBack for how long it has to hold operations back; zero unless {@code right} says so
 * @param other the node that is the reason; null if there is none
 */
record NodeStanding(
        Right right, Duration holdBack, @Nullable OtherNode other) {

    /** What a node may do. */
    enum Right {
        /** Apply operations. Another node that is named does so too, and should not. */
        APPLY,
        /** Wait: retries of operations that another node has applied may come here, and that node is gone. */
        HOLD_BACK,
        /** Nothing: another node that is alive applies operations of the scope. */
        NONE
    }

    static NodeStanding apply(@Nullable OtherNode other) {
        return new NodeStanding(Right.APPLY, Duration.ZERO, other);
    }

    static NodeStanding holdBack(Duration rest, OtherNode other) {
        return new NodeStanding(Right.HOLD_BACK, rest, other);
    }

    static NodeStanding none(OtherNode other) {
        return new NodeStanding(Right.NONE, Duration.ZERO, other);
    }
}
