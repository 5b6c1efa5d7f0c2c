package dev.fbf.spring.autoconfigure;

import dev.fbf.core.claim.LostCommits;
import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.spring.jdbc.NodeStatus;
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
 * Tells how the scopes are doing and which transactions are in doubt, and lets an operator decide on those that the
 * database cannot tell about, with {@code management.endpoint.fbf.access=unrestricted}.
 */
@Endpoint(id = "fbf", defaultAccess = Access.READ_ONLY)
final class FbfEndpoint {

    private static final String LOST_COMMITS = "lost-commits";

    private final NodeStatus node;

    FbfEndpoint(NodeStatus node) {
        this.node = node;
    }

    @ReadOperation
    State state() {
        return new State(
                node.nodeId(),
                node.areReady(),
                node.inDoubt(),
                node.openTransactions(),
                node.lostCommits(),
                node.all().stream().map(Summary::of).toList());
    }

    /**
     * Tells how a scope is doing.
     *
     * @return nothing, which gets 404, if no guard of that scope is open
     */
    @ReadOperation
    @Nullable ScopeReport scope(@Selector String scope) {
        return node.all().stream()
                .filter(guard -> guard.scope().equals(scope))
                .findFirst()
                .map(guard -> ScopeReport.of(guard, node.mode(scope), node.keylessCalls(scope)))
                .orElse(null);
    }

    /**
     * Decides on a transaction, or accepts that commits were lost.
     *
     * @param transaction what it is listed as; {@link #LOST_COMMITS} for the operations that the filters remember
     * @param applied whether its operations were applied; true if retries of those operations are to get the response of applied ones
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
     * @param node ID of the directory in the database; null if no scope is in filter mode
     * @param ready whether recovery is complete, no scope is held back, no other node blocks this one, and fbf's tables
     *     seem usable
     * @param inDoubt the transactions in doubt
     * @param open the open transactions with operations, the oldest first
     * @param lostCommits the commits that databases have lost, until an operator accepts the loss
     * @param scopes a summary of each scope
     */
    record State(
            @Nullable UUID node,
            boolean ready,
            List<NodeStatus.InDoubt> inDoubt,
            List<NodeStatus.OpenTransaction> open,
            Map<String, LostCommits> lostCommits,
            List<Summary> scopes) {}

    /**
     * How a scope is doing, in short.
     *
     * @param scope its name
     * @param retryWindow how long after an operation its retries may come
     * @param claims operations that are being applied or in doubt
     * @param targetFpp share of new operations that may be taken for a retry
     * @param estimatedFpp share of new operations that is taken for a retry now
     * @param bytes size of the filter's files
     */
    record Summary(String scope, Duration retryWindow, int claims, double targetFpp, double estimatedFpp, long bytes) {

        static Summary of(ScopeClaims guard) {
            FilterStats stats = guard.filter().stats();
            return new Summary(
                    guard.scope(),
                    guard.retryWindow(),
                    guard.held(),
                    stats.targetFpp(),
                    stats.estimatedFpp(),
                    stats.bytes());
        }
    }
}
