package dev.fbf.core.claim;

import dev.fbf.core.claim.ClaimRecords.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Selects the transactions in doubt among the records that the previous process left. */
final class LeftBehind {

    /*
     * Where the records are not restored from a log (Durability.PROCESS), a power failure may bring back records that were
     * freed in memory, but not yet on the disk. Alone, they do no harm: the row of their slot still has a token that they
     * know. But a later transaction, which took over a record index or an operation from them, may be on the disk as well,
     * and the outcome of one would spoil the other's. The earlier of the two had ended before, so only the later is kept.
     */
    private static final Comparator<Entry> BY_AGE =
            Comparator.comparingLong(Entry::claimedAt).thenComparingLong(Entry::next);

    private LeftBehind() {}

    /**
     * Returns the records of the transactions to settle, and frees those of the others.
     *
     * @param force returns when everything written before is on the disk, if a power failure is to be survived
     */
    static List<Entry> in(ClaimRecords records, Runnable force) {
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
        if (!kept.isEmpty()) {
            // the fence takes the previous transaction's token from a row, so the log must have its end
            force.run();
        }
        return kept;
    }

    private static List<List<Entry>> newestFirst(List<Entry> entries) {
        return transactions(entries).stream()
                .sorted(Comparator.comparing((List<Entry> transaction) -> Collections.max(transaction, BY_AGE), BY_AGE)
                        .reversed())
                .toList();
    }

    /** Returns the records of each transaction. */
    static Collection<List<Entry>> transactions(List<Entry> entries) {
        return entries.stream().collect(Collectors.groupingBy(Entry::next)).values();
    }

    /** The keys that no two open transactions share. */
    static Set<Object> keys(List<Entry> entries) {
        return entries.stream()
                .flatMap(entry -> Stream.of(entry.recordIndex(), entry.slot(), entry.id()))
                .collect(Collectors.toSet());
    }
}
