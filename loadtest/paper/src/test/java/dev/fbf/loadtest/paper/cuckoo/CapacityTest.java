package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Capacity follows cardinality, by buckets and by filters. */
class CapacityTest {

    private static final int ELEMENTS = 1_500;
    private static final Shape SHAPE = Shape.PAPER.with("max", 200);
    private static final int FEWER = ELEMENTS / 10;

    @Test
    void bucketsFollowTheNumberOfElementsUpAndDown() {
        DynamicSet set = ConsistentCuckooFilter.byBuckets(SHAPE, 1);
        insert(set);
        assertThat(set.utilization()).isGreaterThan(0.9);

        delete(set, FEWER);
        assertThat(set.utilization()).isGreaterThan(0.75);

        delete(set, 0);
        assertThat(set.buckets()).isLessThan(5);
        assertThat(set.filters()).isOne();
    }

    @Test
    void filtersFollowTheNumberOfElementsUpAndDown() {
        int buckets = 16;
        DynamicSet set = ConsistentCuckooFilter.byFilters(SHAPE, buckets, 1);
        insert(set);
        assertThat(set.utilization()).isGreaterThan(0.85);
        assertThat(set.filters()).isGreaterThan(ELEMENTS / (buckets * SHAPE.slots()));

        delete(set, FEWER);
        assertThat(set.utilization()).isGreaterThan(0.7);

        delete(set, 0);
        assertThat(set.filters()).isOne();
    }

    @Test
    void filtersAreAddedUpToTheThresholdAndBucketsBeyond() {
        int most = 3;
        DynamicSet set = new ConsistentCuckooFilter(SHAPE, Resizing.BOTH, 16, most, 2, 1);
        insert(set);

        assertThat(set.filters()).isEqualTo(most);
        assertThat(set.utilization()).isGreaterThan(0.85);
    }

    @Test
    void aDynamicCuckooFilterAddsFiltersAndMergesThem() {
        DynamicSet set = new DynamicCuckooFilter(SHAPE, 16, 1);
        insert(set);
        assertThat(set.utilization()).isGreaterThan(0.85);

        delete(set, 0);
        assertThat(set.filters()).isOne();
    }

    @Test
    void aCcfThatMayAddNoFilterRefusesAFingerprintThatFillsItsCandidates() {
        DynamicSet set = ConsistentCuckooFilter.byBuckets(SHAPE, 1);
        int copies = 0;
        while (set.insert(7)) {
            copies++;
        }

        assertThat(copies).isBetween(SHAPE.slots(), SHAPE.slots() * SHAPE.candidates());
        assertThat(set.size()).isEqualTo(copies);
    }

    private static void insert(DynamicSet set) {
        for (long element = 0; element < ELEMENTS; element++) {
            set.insert(element);
        }
    }

    private static void delete(DynamicSet set, int left) {
        for (long element = set.size() - 1L; element >= left; element--) {
            assertThat(set.delete(element)).isTrue();
        }
    }
}
