package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.paper.Hash;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.Size;

/** Every filter of the family under any life: what is stored is found, as often as it was stored, and nothing stays. */
class LifePropertyTest {

    private static final Shape SMALL = new Shape(2, 3, 24, 4, 60, 50_000_000_000L);

    private enum Kind {
        DYNAMIC,
        BY_BUCKETS,
        BY_BUCKETS_MERGING_ALL,
        ON_A_CROWDED_RING,
        ONE_POINT_ONE_SLOT,
        BY_FILTERS,
        BOTH;

        DynamicSet make(long seed) {
            return switch (this) {
                case DYNAMIC -> new DynamicCuckooFilter(SMALL, 8, seed);
                case BY_BUCKETS -> ConsistentCuckooFilter.byBuckets(SMALL, seed);
                case BY_BUCKETS_MERGING_ALL -> new ConsistentCuckooFilter(SMALL, Resizing.BUCKETS, 1, 1, 3, seed);
                case ON_A_CROWDED_RING -> ConsistentCuckooFilter.byBuckets(new Shape(3, 2, 24, 5, 60, 5_000), seed);
                case ONE_POINT_ONE_SLOT -> ConsistentCuckooFilter.byBuckets(new Shape(4, 1, 24, 1, 60, 1L << 30), seed);
                case BY_FILTERS -> ConsistentCuckooFilter.byFilters(SMALL, 8, seed);
                case BOTH -> new ConsistentCuckooFilter(SMALL, Resizing.BOTH, 8, 3, 2, seed);
            };
        }
    }

    /** So many elements come, or, if it is negative, go; or those that are there come once more. */
    private record Step(int amount, boolean again) {}

    @Provide
    Arbitrary<Step> steps() {
        return Combinators.combine(Arbitraries.integers().between(-120, 120), Arbitraries.of(false, false, false, true))
                .as(Step::new);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.OFF)
    void findsAllThatIsStoredAndKeepsNothingThatIsDeleted(
            @ForAll Kind kind, @ForAll @Size(max = 14) List<@From("steps") Step> steps, @ForAll long seed) {
        DynamicSet set = kind.make(seed);
        SplittableRandom random = new SplittableRandom(seed);
        List<Long> stored = new ArrayList<>();
        long next = 0;
        for (Step step : steps) {
            for (int i = 0; i < Math.abs(step.amount); i++) {
                if (step.amount < 0 && !stored.isEmpty()) {
                    long gone = stored.remove(random.nextInt(stored.size()));
                    assertThat(set.delete(gone)).as("%d is deleted", gone).isTrue();
                } else if (step.amount > 0) {
                    boolean again = step.again && !stored.isEmpty() && i % 16 == 0;
                    long comes = again ? stored.get(random.nextInt(stored.size())) : Hash.of(seed, next++);
                    // one element may be stored as often as its candidate buckets have room for it
                    assertThat(set.insert(comes) || again).isTrue();
                    if (set.size() > stored.size()) {
                        stored.add(comes);
                    }
                }
            }
            assertThat(stored).allMatch(set::contains);
            assertThat(set.size()).isEqualTo(stored.size());
            assertThat(set.slots()).isGreaterThanOrEqualTo(set.size());
        }
        stored.forEach(element -> assertThat(set.delete(element)).isTrue());

        assertThat(set.size()).isZero();
        assertThat(stored).noneMatch(set::contains);
        assertThat(stored.stream().anyMatch(set::delete)).isFalse();
    }
}
