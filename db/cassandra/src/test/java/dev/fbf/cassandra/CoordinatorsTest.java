package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CoordinatorsTest {

    private static final int LANES = 64;

    private final List<Replica> replicas = new ArrayList<>(IntStream.range(1, 4)
            .mapToObj(i -> new Replica(new UUID(0x5D1C_7E3AL * i, i)))
            .toList());
    private long now = Long.MAX_VALUE - 5; // System.nanoTime may overflow
    private final Coordinators coordinators = coordinators(replicas);

    private static final class Replica {

        final Node node;
        NodeState state = NodeState.UP;
        NodeDistance distance = NodeDistance.LOCAL;
        int connections = 1;

        Replica(UUID id) {
            node = (Node) Proxy.newProxyInstance(
                    Node.class.getClassLoader(),
                    new Class<?>[] {Node.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "getHostId" -> id;
                        case "getState" -> state;
                        case "getDistance" -> distance;
                        case "getOpenConnections" -> connections;
                        case "hashCode" -> id.hashCode();
                        case "equals" -> proxy == arguments[0];
                        default -> throw new UnsupportedOperationException(method.getName());
                    });
        }
    }

    private Coordinators coordinators(List<Replica> known) {
        return new Coordinators(
                "views", lane -> known.stream().map(replica -> replica.node).toList(), () -> now);
    }

    private Replica chosen(int lane) {
        Node node = coordinators.choose(lane);
        return replicas.stream()
                .filter(replica -> replica.node == node)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void allNodesOfTheApplicationChooseTheSameReplicaInWhateverOrderTheyKnowThem() {
        List<Replica> reversed = new ArrayList<>(replicas);
        Collections.reverse(reversed);
        Coordinators others = coordinators(reversed);
        for (int lane = 0; lane < LANES; lane++) {
            assertThat(others.choose(lane)).isSameAs(coordinators.choose(lane));
        }
    }

    @Test
    void aReplicaThatIsDownOrFarOrNotConnectedIsNotChosen() {
        Replica first = chosen(0);
        first.state = NodeState.DOWN;
        Replica second = chosen(0);
        second.distance = NodeDistance.REMOTE;
        Replica third = chosen(0);
        assertThat(List.of(first, second, third)).doesNotHaveDuplicates();

        third.connections = 0;
        assertThat(coordinators.choose(0))
                .as("left to the driver's load balancing")
                .isNull();

        first.state = NodeState.UP;
        assertThat(chosen(0)).isSameAs(first);
    }
}
