package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The applied operations of a scope according to a log, 40 bytes each. */
final class LoggedOperations {

    private static final int WORDS = 5;

    private long[] words = new long[1_024 * WORDS];
    private int size;

    void add(Entry claim) {
        if (size == words.length) {
            words = Arrays.copyOf(words, 2 * size);
        }
        OperationId id = claim.id();
        OperationId request = claim.request();
        words[size] = id.high();
        words[size + 1] = id.low();
        words[size + 2] = request == null ? 0 : request.high();
        words[size + 3] = request == null ? 0 : request.low();
        words[size + 4] = claim.claimedAt();
        size += WORDS;
    }

    void restoreIn(ForgetfulBloomFilter filter) {
        for (int at = 0; at < size; at += WORDS) {
            filter.restore(
                    new OperationId(words[at], words[at + 1]), request(words[at + 2], words[at + 3]), words[at + 4]);
        }
    }

    /** Returns the request that a log stores as these words; null for none. */
    static @Nullable OperationId request(long high, long low) {
        return high == 0 && low == 0 ? null : new OperationId(high, low);
    }
}
