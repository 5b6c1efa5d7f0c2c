package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.Mode;
import dev.fbf.spring.transaction.NodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Endpoint for the state of this node. With {@code management.endpoint.fbf.access=unrestricted}, operators can decide on transactions in
 * doubt, and accept lost commits.
 */
@Endpoint(id = "fbf", defaultAccess = Access.READ_ONLY)
record FbfEndpoint(NodeStatus node) {

    private static final String LOST_COMMITS = "lost-commits";

    @ReadOperation
    State state() {
        return new State(
                node.nodeId(),
                node.areReady(),
                node.inDoubt(),
                node.lostCommits(),
                node.all().stream().map(Summary::of).toList());
    }

    /**
     * Decides a transaction in doubt, or accepts that commits were lost.
     *
     * @param transaction its name in {@link State#inDoubt}, or {@link #LOST_COMMITS}
     * @param applied whether its operations were applied; for lost commits, false has no effect
     */
    @WriteOperation
    WebEndpointResponse<State> decide(@Selector String transaction, boolean applied) {
        boolean decided = transaction.equals(LOST_COMMITS)
                ? applied && node.acceptLostCommits()
                : node.decide(transaction, applied);
        return new WebEndpointResponse<>(
                state(), decided ? WebEndpointResponse.STATUS_OK : WebEndpointResponse.STATUS_NOT_FOUND);
    }

    /**
     * State of this node.
     *
     * @param node the ID of the directory; null if no open scope is in filter mode
     * @param ready as {@link NodeStatus#areReady}
     * @param inDoubt the transactions in doubt, in filter mode
     * @param lostCommits the commits that databases have lost, by scope, until an operator accepts the loss
     * @param scopes a summary of each scope
     */
    record State(
            @Nullable UUID node,
            boolean ready,
            List<NodeStatus.InDoubt> inDoubt,
            Map<String, Object> lostCommits,
            List<Summary> scopes) {}

    /**
     * Summary of a scope.
     *
     * @param scope its name
     * @param mode the memory that decides whether an operation is new
     * @param retryWindow the time after an operation in which its retries may arrive
     * @param claims the number of operations that are being applied or in doubt
     */
    record Summary(String scope, Mode mode, Duration retryWindow, int claims) {

        static Summary of(NodeStatus.OpenScope scope) {
            return new Summary(scope.name(), scope.mode(), scope.retryWindow(), scope.claims());
        }
    }
}
