package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Choice of the Cassandra node that coordinates the statements of each lane. Thread-safe. */
final class Coordinators {

    /*
     * A coordinator numbers its Paxos ballots by its own clock. If two coordinate a lane alternately, the ballots of the one with the
     * slower clock are refused, and that one retries with a higher ballot after a wait. With clocks half a second apart, a lane had a third
     * of its throughput. So all nodes of the application choose the same coordinator as long as it responds: the first of the lane's
     * replicas in the local data center, in an order that differs from lane to lane (rendezvous hashing). Correctness does not depend on
     * the choice.
     */
    /**
     * Time for which a failed node is avoided: it may be frozen, or cut off from the others, which the driver detects after half a minute
     * or never.
     */
    static final Duration AVOIDED = Duration.ofSeconds(10);

    private final String scope;
    private final IntFunction<Collection<Node>> replicasOfLane;
    private final LongSupplier nanoTime;
    private final Map<Node, Long> avoidedUntil = new ConcurrentHashMap<>();

    Coordinators(String scope, IntFunction<Collection<Node>> replicasOfLane, LongSupplier nanoTime) {
        this.scope = scope;
        this.replicasOfLane = replicasOfLane;
        this.nanoTime = nanoTime;
    }

    /** Returns the node for a statement on a lane's partition; null to leave the choice to the driver's load balancing. */
    @Nullable Node choose(int lane) {
        long now = nanoTime.getAsLong();
        return replicasOfLane.apply(lane).stream()
                .filter(Coordinators::isConnected)
                .min(Comparator.comparingLong((Node node) -> nanosAvoided(node, now))
                        .thenComparingInt(node -> rank(lane, node)))
                .orElse(null);
    }

    private static boolean isConnected(Node node) {
        return node.getState() == NodeState.UP
                && node.getDistance() == NodeDistance.LOCAL
                && node.getOpenConnections() > 0;
    }

    private long nanosAvoided(Node node, long now) {
        Long until = avoidedUntil.get(node);
        return until == null ? 0 : Math.max(0, until - now);
    }

    /** Returns a rank that is the same in every process. */
    private int rank(int lane, Node node) {
        int hash = Objects.hash(node.getHostId(), scope, lane) * 0x9E3779B9;
        return hash ^ hash >>> Short.SIZE;
    }

    /** Records the failure of a statement that a node coordinated. */
    void failed(Node node) {
        avoidedUntil.put(node, nanoTime.getAsLong() + AVOIDED.toNanos());
    }
}
