package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.loadtest.paper.clicks.StableBloomFilter.Shape;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.assertj.core.data.Offset;

/** The filter has what its paper states. */
class StableBloomFilterTest {

    private static final int CELLS = 10_000;

    @Property(tries = 30)
    void comesToItsStablePointAndStaysThere(
            @ForAll @IntRange(min = 1, max = 3) int bits,
            @ForAll @IntRange(min = 1, max = 8) int hashes,
            @ForAll @Scale(4) @DoubleRange(min = 0.001, max = 0.3) double fpp,
            @ForAll long seed) {
        Shape shape = shape(bits, hashes, fpp);
        StableBloomFilter filter = new StableBloomFilter(shape, seed);
        Ids ids = new Ids(seed);
        for (int look = 0; look < 3; look++) {
            ids.next(elementsToStability(shape)).forEach(filter::isDuplicate);

            assertThat(filter.zeros()).isCloseTo(shape.zeros(), Offset.offset(0.04));
        }
    }

    @Property(tries = 30)
    void hasNoMoreFalsePositivesThanItsTightUpperBound(
            @ForAll @IntRange(min = 1, max = 3) int bits,
            @ForAll @IntRange(min = 1, max = 8) int hashes,
            @ForAll @Scale(4) @DoubleRange(min = 0.001, max = 0.3) double fpp,
            @ForAll long seed) {
        Shape shape = shape(bits, hashes, fpp);
        StableBloomFilter filter = new StableBloomFilter(shape, seed);
        Ids ids = new Ids(seed);
        ids.next(elementsToStability(shape)).forEach(filter::isDuplicate);
        int absent = 20_000;

        long found = ids.next(absent).stream().filter(filter::isDuplicate).count();
        double expected = shape.highestFpp() * absent;
        double chance = 5 * Math.sqrt(expected) + 5;
        assertThat((double) found).isBetween(expected * 0.75 - chance, expected * 1.15 + chance);
    }

    @Property(tries = 30)
    void forgetsAsItsModelSays(
            @ForAll @IntRange(min = 1, max = 3) int bits,
            @ForAll @IntRange(min = 1, max = 6) int hashes,
            @ForAll @Scale(4) @DoubleRange(min = 0.001, max = 0.1) double fpp,
            @ForAll @IntRange(min = 1, max = 4_000) int elements,
            @ForAll long seed) {
        Shape shape = shape(bits, hashes, fpp);
        StableBloomFilter filter = new StableBloomFilter(shape, seed);
        Ids ids = new Ids(seed);
        ids.next(elementsToStability(shape)).forEach(filter::isDuplicate);
        int batches = 5;
        int perBatch = 100;
        long forgotten = 0;
        for (int batch = 0; batch < batches; batch++) {
            List<OperationId> put = ids.next(perBatch);
            put.forEach(filter::isDuplicate);
            ids.next(elements).forEach(filter::isDuplicate);
            forgotten += put.stream().filter(id -> !filter.isDuplicate(id)).count();
        }

        // those that were put first are older by the other elements of their batch
        assertThat((double) forgotten / (batches * perBatch))
                .isBetween(shape.forgotten(elements) - 0.12, shape.forgotten(elements + perBatch) + 0.12);
    }

    @Property(tries = 50)
    void choosesTheDecrementsThatBringTheFalsePositiveProbability(
            @ForAll @IntRange(min = 1, max = 3) int bits,
            @ForAll @IntRange(min = 1, max = 8) int hashes,
            @ForAll @Scale(4) @DoubleRange(min = 0.001, max = 0.3) double fpp) {
        int decrements = Shape.decrements(CELLS, bits, hashes, fpp);

        assertThat(new Shape(CELLS, bits, hashes, decrements + 1).highestFpp()).isLessThan(fpp);
        if (decrements > 1) {
            assertThat(new Shape(CELLS, bits, hashes, decrements - 1).highestFpp())
                    .isGreaterThan(fpp);
        }
    }

    private static Shape shape(int bits, int hashes, double fpp) {
        return new Shape(CELLS, bits, hashes, Shape.decrements(CELLS, bits, hashes, fpp));
    }

    /** Each cell has been set or decremented some twenty times. */
    private static int elementsToStability(Shape shape) {
        return 20 * CELLS / (shape.hashes() + shape.decrements());
    }
}
