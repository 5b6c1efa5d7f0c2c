package dev.fbf.core.witness;

import dev.fbf.core.witness.ClaimRecords.Entry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Selection of the transactions in doubt among the records that the previous process left. */
final class LeftBehind {

    /*
     * A power failure may bring back records that were freed in memory but not yet on the disk. Alone, they are harmless: the row of their
     * slot still has a token that they contain. But the disk may also have a later transaction that reused one of their record indexes or
     * operations, and the outcome of one transaction would overwrite the other's. The earlier transaction had ended before the later
     * began, so only the later one is kept.
     */
    private static final Comparator<Entry> BY_AGE =
            Comparator.comparingLong(Entry::claimedAt).thenComparingLong(Entry::next);

    private LeftBehind() {}

    /** Returns the records of the transactions to settle, and frees the other records. */
    static List<Entry> in(ClaimRecords records) {
        List<Entry> kept = new ArrayList<>();
        Set<Object> keys = new HashSet<>();
        for (List<Entry> transaction : newestFirst(records.entries())) {
            Set<Object> its = keys(transaction);
            if (Collections.disjoint(keys, its)) {
                keys.addAll(its);
                kept.addAll(transaction);
            } else {
                transaction.forEach(entry -> records.free(entry.recordIndex()));
            }
        }
        return kept;
    }

    private static List<List<Entry>> newestFirst(List<Entry> entries) {
        return entries.stream().collect(Collectors.groupingBy(Entry::next)).values().stream()
                .sorted(Comparator.comparing((List<Entry> transaction) -> Collections.max(transaction, BY_AGE), BY_AGE)
                        .reversed())
                .toList();
    }

    /** Returns the keys that no two open transactions share. */
    private static Set<Object> keys(List<Entry> entries) {
        return entries.stream()
                .flatMap(entry -> Stream.of(entry.recordIndex(), entry.slot(), entry.id()))
                .collect(Collectors.toSet());
    }
}
