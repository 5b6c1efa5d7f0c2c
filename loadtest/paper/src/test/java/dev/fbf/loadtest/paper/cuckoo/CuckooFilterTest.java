package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CuckooFilterTest {

    private static final int BUCKETS = 256;
    private static final int SLOTS = 4;

    @Test
    void loadsNineteenTwentiethsOfItsSlotsAndLosesNothingWhenItRefuses() {
        CuckooFilter filter = new CuckooFilter(BUCKETS, SLOTS, 20, 500, 1);
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
    void deletesWhateverWasReallocated() {
        CuckooFilter filter = new CuckooFilter(BUCKETS, SLOTS, 30, 500, 1);
        for (long element = 0; element < 900; element++) {
            filter.insert(element);
        }
        for (long element = 0; element < 900; element++) {
            assertThat(filter.delete(element)).isTrue();
        }

        assertThat(filter.size()).isZero();
    }

    @Test
    void refusesANumberOfBucketsThatIsNoPowerOfTwo() {
        assertThatThrownBy(() -> new CuckooFilter(100, SLOTS, 20, 500, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("buckets=100");
    }
}
