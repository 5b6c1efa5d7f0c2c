package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The ring beside a tree, with so few positions that many are taken. */
class RingPropertyTest {

    private static final int LENGTH = 200;
    private static final int VIRTUAL_NODES = 3;

    @Property(tries = 200)
    void findsTheNearestBucketClockwise(
            @ForAll @Size(min = 1, max = 30) List<@IntRange(max = LENGTH - 1) Integer> positions,
            @ForAll @IntRange(max = 29) int removed) {
        Ring ring = new Ring(LENGTH);
        TreeMap<Integer, Integer> tree = new TreeMap<>();
        for (int bucket = 0; bucket < positions.size(); bucket++) {
            long[] points = new long[VIRTUAL_NODES];
            for (int i = 0; i < VIRTUAL_NODES; i++) {
                int position = (positions.get(bucket) + i * 7) % LENGTH;
                points[i] = Ring.point(bucket, position);
                while (tree.containsKey(position)) {
                    position = (position + 1) % LENGTH;
                }
                tree.put(position, bucket);
            }
            ring.add(points);
        }
        if (removed < positions.size() - 1) {
            long[] points = ring.remove(removed);
            assertThat(points).hasSize(VIRTUAL_NODES);
            tree.values().removeIf(bucket -> bucket == removed);
        }

        assertThat(ring.size()).isEqualTo(tree.size());
        for (int position = 0; position < LENGTH; position++) {
            Map.Entry<Integer, Integer> nearest = tree.ceilingEntry(position);
            int expected = nearest == null ? tree.firstEntry().getValue() : nearest.getValue();
            assertThat(ring.bucket(position)).as("position %d", position).isEqualTo(expected);
        }
    }
}
