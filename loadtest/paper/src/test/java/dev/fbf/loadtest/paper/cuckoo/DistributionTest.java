package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class DistributionTest {

    private final Distribution distribution = of(4, 1, 2, 3);

    @Test
    void countsWhatIsBelowAndAbove() {
        assertThat(distribution.below(2)).isEqualTo(0.25);
        assertThat(distribution.above(2)).isEqualTo(0.5);
        assertThat(distribution.mean()).isEqualTo(2.5);
        assertThat(distribution.most()).isEqualTo(4);
    }

    @Test
    void isFarFromAnotherWhereTheirSharesDiffer() {
        assertThat(distribution.distance(distribution)).isZero();
        assertThat(distribution.distance(of(3, 4, 5, 6))).isEqualTo(0.5);
        assertThat(distribution.distance(of(11, 12))).isOne();
    }

    private static Distribution of(double... values) {
        return new Distribution(DoubleStream.of(values));
    }
}
