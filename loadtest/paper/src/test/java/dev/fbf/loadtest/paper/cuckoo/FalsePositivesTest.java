package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Theorem 1, and what it overlooks: the candidates of an I2CF follow from the fingerprint alone. */
class FalsePositivesTest {

    private static final int ABSENT = 300_000;
    private static final int ELEMENTS = 3_000;
    private static final int BITS = 14;
    private static final int SLOTS = 3;
    private static final Shape SHAPE = Shape.PAPER.with("f", BITS).with("max", 200);

    /** An absent element with the fingerprint of any stored one has that one's candidates too. */
    private static final double OF_ALL_FINGERPRINTS = -Math.expm1(ELEMENTS * Math.log1p(-1.0 / ((1L << BITS) - 1)));

    @Test
    void aCuckooFilterHasThoseOfItsModelInTheSlotsThatAreTaken() {
        CuckooFilter filter = new CuckooFilter(SHAPE, 1_024, 1);
        int elements = ELEMENTS * 9 / 10;
        for (int i = 0; i < elements; i++) {
            assertThat(filter.insert(i)).isTrue();
        }

        assertThat(counted(filter::contains))
                .isCloseTo(ofSlots(1, elements, filter.slots()), Percentage.withPercentage(25));
    }

    @Test
    void aDynamicCuckooFilterHasThoseOfItsModelInTheSlotsThatAreTaken() {
        DynamicCuckooFilter filter = new DynamicCuckooFilter(SHAPE, 64, 1);

        assertThat(counted(filter))
                .isCloseTo(ofSlots(filter.filters(), ELEMENTS, filter.slots()), Percentage.withPercentage(20));
    }

    @Test
    void aCcfHasThoseOfAllItsFingerprintsWhateverTheoremOneSays() {
        ConsistentCuckooFilter filter = ConsistentCuckooFilter.byBuckets(SHAPE, 1);
        double counted = counted(filter);

        assertThat(counted).isCloseTo(OF_ALL_FINGERPRINTS, Percentage.withPercentage(5));
        assertThat(counted).isGreaterThan(100 * ofTheorem(1));
    }

    /** Section III-B: a threshold for s is said to bound the false positives at run time. */
    @Test
    void aThresholdForTheNumberOfFiltersDoesNotBoundThem() {
        ConsistentCuckooFilter filter = new ConsistentCuckooFilter(SHAPE, Resizing.BOTH, 64, 4, 2, 1);
        double counted = counted(filter);

        assertThat(filter.filters()).isEqualTo(4);
        assertThat(counted).isCloseTo(OF_ALL_FINGERPRINTS, Percentage.withPercentage(5));
        assertThat(counted).isGreaterThan(20 * ofTheorem(4));
    }

    /** Section II: {@code 1 - (1 - 1/2^f)^(2bs)} of full filters, in the part of the slots that is taken. */
    private static double ofSlots(int filters, int elements, long slots) {
        return -Math.expm1(2.0 * SLOTS * filters * Math.log1p(-Math.scalb(1.0, -BITS))) * elements / slots;
    }

    /** Theorem 1, equation 2. */
    private static double ofTheorem(int filters) {
        return -Math.expm1((double) filters * SHAPE.candidates() * SLOTS * Math.log1p(-Math.scalb(1.0, -BITS)));
    }

    private static double counted(DynamicSet set) {
        for (int i = 0; i < ELEMENTS; i++) {
            assertThat(set.insert(i)).isTrue();
        }
        return counted(set::contains);
    }

    /** The share of absent elements that are found. */
    private static double counted(LongPredicate contains) {
        return (double) LongStream.range(-ABSENT, 0).filter(contains).count() / ABSENT;
    }
}
