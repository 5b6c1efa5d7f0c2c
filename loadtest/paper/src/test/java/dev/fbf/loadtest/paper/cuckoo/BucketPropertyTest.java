package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** A bucket beside a list of its fingerprints. A step stores a fingerprint if it is positive, and removes one if it is negative. */
class BucketPropertyTest {

    private static final int SLOTS = 3;
    private static final int MOST = 4;

    @Property(tries = 300)
    void hasWhatWasStoredAndNotRemoved(@ForAll @Size(max = 40) List<@IntRange(min = -MOST, max = MOST) Integer> steps) {
        Bucket bucket = new Bucket(0, SLOTS);
        List<Long> stored = new ArrayList<>();
        steps.forEach(step -> take(step, bucket, stored));

        assertHas(bucket, stored);
    }

    @Property(tries = 300)
    void restoringTakesBackAllChangesSince(
            @ForAll @Size(max = 10) List<@IntRange(min = -MOST, max = MOST) Integer> before,
            @ForAll @Size(max = 40) List<@IntRange(min = -MOST, max = MOST) Integer> after) {
        Bucket bucket = new Bucket(0, SLOTS);
        List<Long> stored = new ArrayList<>();
        before.forEach(step -> take(step, bucket, stored));
        long[] saved = bucket.save();
        List<Long> changed = new ArrayList<>(stored);
        after.forEach(step -> take(step, bucket, changed));
        bucket.restore(saved);
        assertHas(bucket, stored);

        bucket.swap(0, MOST);
        bucket.restore(saved);
        assertHas(bucket, stored);
    }

    /** Without a fingerprint to store or to remove, one takes a slot from what is there. */
    private static void take(int step, Bucket bucket, List<Long> stored) {
        if (step > 0) {
            assertThat(bucket.add(step)).isEqualTo(stored.size() < SLOTS);
            if (stored.size() < SLOTS) {
                stored.add((long) step);
            }
        } else if (step < 0) {
            assertThat(bucket.remove(-step)).isEqualTo(stored.remove((Object) (long) -step));
        } else {
            long replaced = bucket.swap(stored.size() % SLOTS, MOST);
            assertThat(replaced == 0 ? stored.size() < SLOTS : stored.remove((Object) replaced))
                    .isTrue();
            stored.add((long) MOST);
        }
    }

    private static void assertHas(Bucket bucket, List<Long> stored) {
        assertThat(bucket.fingerprints())
                .containsExactlyInAnyOrder(
                        stored.stream().mapToLong(Long::longValue).toArray());
        assertThat(bucket.size()).isEqualTo(stored.size());
        for (long fingerprint = 1; fingerprint <= MOST; fingerprint++) {
            int times = Collections.frequency(stored, fingerprint);
            assertThat(bucket.contains(fingerprint)).isEqualTo(times > 0);
            assertThat(bucket.isFullOf(fingerprint)).isEqualTo(times == SLOTS);
        }
    }
}
