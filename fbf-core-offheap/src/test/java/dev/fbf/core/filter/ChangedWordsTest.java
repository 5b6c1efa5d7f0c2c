package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.MappedFault;
import dev.fbf.core.memory.Words;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files that another program changes under a filter that is open: an error, and no thread that hangs. */
@Timeout(20)
class ChangedWordsTest {

    private static final OperationId ID = new OperationId(1, 2);

    private final Words words = new HeapWords(FilterInWords.size());

    @Test
    void zerosDoNotPassForAnEmptyFilter() {
        FilterInWords.initialize(words);
        ForgetfulBloomFilter filter = FilterInWords.open(words);
        filter.put(ID);

        for (long word = 0; word < words.size(); word++) {
            words.setRelease(word, 0);
        }

        assertThatExceptionOfType(InternalError.class)
                .isThrownBy(() -> filter.mightContain(ID))
                .withMessageContaining("the header is corrupt");
        assertThatExceptionOfType(InternalError.class).isThrownBy(() -> filter.put(ID));
        assertThatExceptionOfType(InternalError.class)
                .isThrownBy(() -> filter.newest().refreshIfDue());
    }

    @Test
    void bitsThatCannotBeChangedEndAPutAndAClearing() {
        FilterInWords.initialize(words);
        AtomicLong tries = new AtomicLong();
        Words stuck = new WordsView(words) {
            @Override
            public boolean compareAndSetAt(long position, long expected, long value) {
                tries.incrementAndGet();
                return false;
            }
        };
        FilterInWords.open(words).put(ID);

        assertThatExceptionOfType(InternalError.class)
                .isThrownBy(() -> FilterInWords.open(stuck).put(new OperationId(3, 4)));
        assertThatExceptionOfType(InternalError.class)
                .isThrownBy(() -> new Lanes(FilterInWords.PLAN, stuck).clear(-1L));
        assertThat(tries.get()).isEqualTo(2 * MappedFault.MAX_ATTEMPTS);
    }
}
