package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CuckooFilterTest {

    private static final Shape SHAPE = Shape.PAPER.with("b", 4).with("f", 20).with("max", 500);

    @Test
    void loadsNineteenTwentiethsOfItsSlotsAndLosesNothingWhenItRefuses() {
        CuckooFilter filter = new CuckooFilter(SHAPE, 256, 1);
        int stored = 0;
        int refused = 0;
        for (long element = 0; refused < 20; element++) {
            if (filter.insert(element)) {
                stored++;
            } else {
                refused++;
                assertThat(LongStream.range(0, element).filter(filter::contains).count())
                        .as("stored ones, refused ones that happen to be found")
                        .isGreaterThanOrEqualTo(stored);
            }
        }

        assertThat(filter.size()).isEqualTo(stored);
        assertThat((double) filter.size() / filter.slots()).isGreaterThan(0.95);
    }

    @Test
    void refusesANumberOfBucketsThatIsNoPowerOfTwo() {
        assertThatThrownBy(() -> new CuckooFilter(SHAPE, 100, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("buckets=100");
    }
}
