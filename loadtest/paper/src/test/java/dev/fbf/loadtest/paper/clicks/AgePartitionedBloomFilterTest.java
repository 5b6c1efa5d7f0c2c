package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.loadtest.paper.clicks.AgePartitionedBloomFilter.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.data.Percentage;

/** The filter has what its paper states. */
class AgePartitionedBloomFilterTest {

    private static final int ELEMENTS = 500;

    /** The pairs of k and l that the paper lists for a false positive probability of 10⁻¹, 10⁻², … */
    private static final int[][] PAIRS = {{4, 3}, {7, 5}, {10, 7}, {14, 11}, {17, 13}};

    @Property(tries = 100)
    void findsEveryElementForLPeriods(
            @ForAll @IntRange(min = 1, max = 20) int hashes,
            @ForAll @IntRange(min = 1, max = 20) int older,
            @ForAll @IntRange(min = 0, max = 60) int periods,
            @ForAll long seed) {
        AgePartitionedBloomFilter filter =
                new AgePartitionedBloomFilter(new Shape(hashes, older, Shape.halfFull(hashes, 20)));
        Ids ids = new Ids(seed);
        List<List<OperationId>> byPeriod = new ArrayList<>();
        for (int period = 0; period <= periods; period++) {
            if (period > 0) {
                filter.shift();
            }
            List<OperationId> elements = ids.next(20);
            elements.forEach(filter::put);
            byPeriod.add(elements);
        }

        assertThat(byPeriod.subList(Math.max(0, periods - older), periods + 1))
                .allSatisfy(elements -> assertThat(elements).allMatch(filter::mightContain));
    }

    @Property(tries = 50)
    void hasForgottenEveryElementAfterAllSlicesWereEmptied(
            @ForAll @IntRange(min = 1, max = 20) int hashes, @ForAll @IntRange(min = 1, max = 20) int older) {
        AgePartitionedBloomFilter filter = new AgePartitionedBloomFilter(new Shape(hashes, older, 1_000));
        List<OperationId> elements = new Ids(1).next(100);
        elements.forEach(filter::put);
        IntStream.range(0, hashes + older).forEach(shift -> filter.shift());

        assertThat(elements).noneMatch(filter::mightContain);
    }

    @Property(tries = 50)
    void looksForNeighboursAsIfItAskedAllSlices(
            @ForAll @IntRange(min = 1, max = 8) int hashes,
            @ForAll @IntRange(min = 1, max = 12) int older,
            @ForAll long seed) {
        AgePartitionedBloomFilter filter = filled(new Shape(hashes, older, Shape.halfFull(hashes, 20)), 20, seed);

        assertThat(new Ids(~seed).next(200))
                .allSatisfy(id -> assertThat(filter.mightContain(id))
                        .isEqualTo(IntStream.rangeClosed(0, older)
                                .anyMatch(begin ->
                                        IntStream.range(begin, begin + hashes).allMatch(age -> filter.has(id, age)))));
    }

    @Property(tries = 20)
    void hasNoMoreFalsePositivesThanItsBound(
            @ForAll @IntRange(min = 2, max = 8) int hashes,
            @ForAll @IntRange(min = 1, max = 10) int older,
            @ForAll @DoubleRange(min = 0.7, max = 1.5) double size,
            @ForAll long seed) {
        Shape shape = new Shape(hashes, older, (long) (size * Shape.halfFull(hashes, ELEMENTS)));
        AgePartitionedBloomFilter filter = filled(shape, ELEMENTS, seed);
        double bound = shape.highestFpp(ELEMENTS);
        int absent = 20_000;

        long found = new Ids(~seed)
                .next(absent).stream().filter(filter::mightContain).count();
        double chance = 5 * Math.sqrt(bound * absent) + 5;
        assertThat((double) found).isBetween(bound * absent * 0.8 - chance, bound * absent * 1.1 + chance);
    }

    @Example
    void hasTheFalsePositivesThatThePaperListsForItsPairs() {
        for (int exponent = 1; exponent <= PAIRS.length; exponent++) {
            int k = PAIRS[exponent - 1][0];
            Shape shape = new Shape(k, PAIRS[exponent - 1][1], 1);

            assertThat(shape.fpp(age -> Math.min(age + 1, k) / (2.0 * k)))
                    .as("k = %d", k)
                    .isCloseTo(Math.pow(10, -exponent), Percentage.withPercentage(25));
        }
    }

    @Property(tries = 50)
    void countsEachRowOfNeighboursOnce(
            @ForAll @IntRange(min = 1, max = 5) int hashes,
            @ForAll @IntRange(min = 1, max = 7) int older,
            @ForAll @DoubleRange(min = 0.1, max = 0.9) double fill) {
        Shape shape = new Shape(hashes, older, 1);
        double sum = 0;
        for (int set = 0; set < 1 << shape.slices(); set++) {
            int slices = set;
            boolean found = IntStream.rangeClosed(0, older)
                    .anyMatch(begin -> (slices >>> begin & ((1 << hashes) - 1)) == (1 << hashes) - 1);
            int ones = Integer.bitCount(set);
            sum += found ? Math.pow(fill, ones) * Math.pow(1 - fill, shape.slices() - ones) : 0;
        }

        assertThat(shape.fpp(age -> fill)).isCloseTo(sum, Percentage.withPercentage(1e-6));
    }

    /** At the end of a period, when all slices have what they have in the long run. */
    private static AgePartitionedBloomFilter filled(Shape shape, int elementsOfPeriod, long seed) {
        AgePartitionedBloomFilter filter = new AgePartitionedBloomFilter(shape);
        Ids ids = new Ids(seed);
        for (int period = 0; period <= shape.slices(); period++) {
            filter.shift();
            ids.next(elementsOfPeriod).forEach(filter::put);
        }
        return filter;
    }
}
