package dev.fbf.core.witness;

import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.util.List;
import java.util.UUID;

/** Claims that no file keeps. */
final class HeapClaims {

    private HeapClaims() {}

    static RecordedClaims of(int max) {
        return of(max, List.of());
    }

    static RecordedClaims of(int max, List<Entry> left) {
        return of(records(max), max, left);
    }

    static RecordedClaims of(ClaimRecords records, int max, List<Entry> left) {
        return new RecordedClaims(records, max, left, () -> {});
    }

    /** A scope that trusts its filter even after a power failure. */
    static ScopeClaims scope(RecordedClaims claims, String scope, ForgetfulBloomFilter filter) {
        return new ScopeClaims(claims, scope, filter, false, FilterSizing.DEFAULT.retryWindow());
    }

    static ClaimRecords records(int capacity) {
        HeapWords words = new HeapWords(ClaimLayout.words(capacity));
        ClaimRecords.initialize(words, capacity, new UUID(1, 1));
        return new ClaimRecords(words);
    }
}
