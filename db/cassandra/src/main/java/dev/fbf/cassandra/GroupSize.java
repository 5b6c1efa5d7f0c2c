package dev.fbf.cassandra;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/** Size of a group, which a batch limits. Not thread-safe. */
final class GroupSize {

    private static final int MOST_OPERATIONS = 256;

    /** Less than half of the batch size, in bytes, that Cassandra 5 refuses by default; names and ids take most of it. */
    private static final int MOST_BYTES = 22 << 10;

    private static final int BYTES_OF_A_STATEMENT = 64;

    private final int nodes;
    private final Set<String> counters = new HashSet<>();
    private int operations;
    private int bytes;

    /** @param nodes 1 for one node's group; 2 with forwarded operations, which may take as much as the node's own */
    GroupSize(int nodes) {
        this.nodes = nodes;
    }

    boolean fits(LaneIncrement increment) {
        return operations < nodes * MOST_OPERATIONS && bytes + bytes(increment) <= nodes * MOST_BYTES;
    }

    void add(LaneIncrement increment) {
        operations++;
        bytes += bytes(increment);
        counters.addAll(increment.deltas().keySet());
    }

    private int bytes(LaneIncrement increment) {
        int needed = GroupBlob.OPERATION_BYTES;
        for (String counter : increment.deltas().keySet()) {
            if (!counters.contains(counter)) {
                needed += BYTES_OF_A_STATEMENT + counter.getBytes(StandardCharsets.UTF_8).length;
            }
        }
        return needed;
    }
}
