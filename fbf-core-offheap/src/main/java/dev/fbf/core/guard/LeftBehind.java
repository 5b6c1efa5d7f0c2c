package dev.fbf.core.guard;

import dev.fbf.core.guard.ClaimRecords.Entry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the process before this one left in doubt. */
final class LeftBehind {

    /*
     * A power loss may bring back records that were freed in memory, but not yet on the disk. Alone, they do no harm:
     * the row of their slot still has a token that they know. But a later transaction, which took a place or an
     * operation over from them, may have been caught on the disk as well, and one answer would spoil the other's.
     *
     * Of two such transactions, the earlier had ended before the later took over, and what the filter had to learn from
     * it was on the disk by then. The later did not reach its COMMIT: before that comes a force, which would have freed
     * the earlier's records. So neither need be asked about; the later is all the same, for it is the likelier one to
     * be open where nothing was forced (Durability.PROCESS promises nothing here).
     */
    private static final Comparator<Entry> BY_AGE =
            Comparator.comparingLong(Entry::claimedAt).thenComparingLong(Entry::next);

    private LeftBehind() {}

    /**
     * Finds the records of the transactions to ask about, and frees those of the others.
     *
     * @param forceClaims forces the records, where a power loss is to be survived
     */
    static List<Entry> in(ClaimRecords records, Runnable forceClaims) {
        List<Entry> kept = new ArrayList<>();
        Set<Object> keys = new HashSet<>();
        for (List<Entry> transaction : newestFirst(records.entries())) {
            Set<Object> its = keys(transaction);
            if (Collections.disjoint(keys, its)) {
                keys.addAll(its);
                kept.addAll(transaction);
            } else {
                transaction.forEach(entry -> records.free(entry.number()));
            }
        }
        if (!kept.isEmpty()) {
            // the fence turns a row away from the tokens of whatever record of its slot the disk still has
            forceClaims.run();
        }
        return kept;
    }

    private static List<List<Entry>> newestFirst(List<Entry> entries) {
        return entries.stream().collect(Collectors.groupingBy(Entry::next)).values().stream()
                .sorted(Comparator.comparing((List<Entry> transaction) -> Collections.max(transaction, BY_AGE), BY_AGE)
                        .reversed())
                .toList();
    }

    /** What no two open transactions share. */
    private static Set<Object> keys(List<Entry> transaction) {
        return transaction.stream()
                .flatMap(entry -> Stream.of(entry.number(), entry.slot(), entry.id()))
                .collect(Collectors.toSet());
    }
}
