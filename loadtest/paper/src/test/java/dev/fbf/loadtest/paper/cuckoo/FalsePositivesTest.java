package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class FalsePositivesTest {

    private static final int ABSENT = 300_000;
    private static final int ELEMENTS = 3_000;
    private static final int BITS = 14;

    @Test
    void aCuckooFilterHasThoseOfItsModelInTheSlotsThatAreTaken() {
        CuckooFilter filter = new CuckooFilter(1_024, 3, BITS, 500, 1);
        fill(filter, ELEMENTS * 9 / 10);

        assertThat(FalsePositives.counted(filter, ABSENT))
                .isCloseTo(filter.modelledFpp() * filter.utilization(), Percentage.withPercentage(25));
    }

    @Test
    void aDynamicCuckooFilterHasThoseOfItsModelInTheSlotsThatAreTaken() {
        DynamicCuckooFilter filter = new DynamicCuckooFilter(64, 3, BITS, 500, 1);
        fill(filter, ELEMENTS);

        assertThat(FalsePositives.counted(filter, ABSENT))
                .isCloseTo(filter.modelledFpp() * filter.utilization(), Percentage.withPercentage(20));
    }

    @Test
    void aCcfHasThoseOfAllItsFingerprintsWhateverTheoremOneSays() {
        Shape shape = Shape.PAPER.withFingerprintBits(BITS).withMax(200);
        ConsistentCuckooFilter filter = ConsistentCuckooFilter.byBuckets(shape, 1);
        fill(filter, ELEMENTS);
        double counted = FalsePositives.counted(filter, ABSENT);

        assertThat(counted)
                .isCloseTo(
                        ConsistentCuckooFilter.fppOfCandidatesByFingerprint(shape, ELEMENTS),
                        Percentage.withPercentage(5));
        assertThat(counted).isGreaterThan(100 * filter.modelledFpp());
    }

    private static void fill(DynamicSet set, int elements) {
        for (int i = 0; i < elements; i++) {
            assertThat(set.insert(i)).isTrue();
        }
    }
}
