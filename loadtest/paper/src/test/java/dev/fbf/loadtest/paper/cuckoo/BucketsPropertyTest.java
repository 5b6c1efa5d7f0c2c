package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.paper.Hash;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Packed buckets beside a plain array. */
class BucketsPropertyTest {

    private static final int BUCKETS = 7;
    private static final int SLOTS = 3;

    @Property(tries = 300)
    void packedSlotsAreAsSlotsOfAnArray(
            @ForAll @IntRange(min = 1, max = Buckets.MAX_BITS) int bits,
            @ForAll @Size(max = 80) List<@IntRange(min = 0, max = BUCKETS * SLOTS - 1) Integer> written,
            @ForAll long seed) {
        Buckets buckets = new Buckets(1, SLOTS, bits);
        while (buckets.count() < BUCKETS) {
            buckets.grow();
        }
        long[] array = new long[BUCKETS * SLOTS];
        for (int i = 0; i < written.size(); i++) {
            int slot = written.get(i);
            long entry = Hash.of(seed, i) & ((1L << bits) - 1);
            assertThat(buckets.swap(slot / SLOTS, slot % SLOTS, entry)).isEqualTo(array[slot]);
            array[slot] = entry;
        }

        assertHas(buckets, array);
    }

    @Property(tries = 300)
    void restoringTakesBackAllChangesSince(
            @ForAll @Size(max = 40) List<@IntRange(min = 0, max = BUCKETS * SLOTS - 1) Integer> before,
            @ForAll @Size(max = 40) List<@IntRange(min = 0, max = BUCKETS * SLOTS - 1) Integer> after) {
        Buckets buckets = new Buckets(BUCKETS, SLOTS, 17);
        long[] array = new long[BUCKETS * SLOTS];
        for (int slot : before) {
            buckets.swap(slot / SLOTS, slot % SLOTS, 1 + slot);
            array[slot] = 1L + slot;
        }
        Buckets.Saved saved = buckets.save();
        for (int slot : after) {
            buckets.swap(slot / SLOTS, slot % SLOTS, slot % 3);
        }
        buckets.restore(saved);

        assertHas(buckets, array);
    }

    private static void assertHas(Buckets buckets, long[] array) {
        int entries = 0;
        for (int slot = 0; slot < array.length; slot++) {
            assertThat(buckets.get(slot / SLOTS, slot % SLOTS))
                    .as("slot %d", slot)
                    .isEqualTo(array[slot]);
            entries += array[slot] == 0 ? 0 : 1;
        }
        assertThat(buckets.entries()).isEqualTo(entries);
    }
}
