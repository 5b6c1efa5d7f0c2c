package dev.fbf.core.witness;

import dev.fbf.core.filter.FilterInWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** A {@link Node} in words that a test controls: with one database, and without scopes at first. */
final class HeapNode {

    /** Never the same in two lives of a node. */
    private static final AtomicLong TOKENS = new AtomicLong(1L << 40);

    final RecordedClaims claims;
    final WitnessedDatabase database;
    private final ClaimRecords records;
    private final Map<String, Words> filters;
    private final Map<String, ScopeClaims> scopes = new HashMap<>();

    /** Begins, or goes on where another node ended or died. */
    HeapNode(Words words, Map<String, Words> filters, int maxClaims, FakeDatabase witness) {
        records = new ClaimRecords(words);
        if (!records.isSound() || !records.areSound()) {
            throw new AssertionError("the claims would be refused");
        }
        this.filters = filters;
        List<Entry> left = records.leftBehind();
        claims = new RecordedClaims(records, maxClaims, left, () -> {});
        database = new WitnessedDatabase("main", records.node(), claims, records.capacity(), TOKENS::incrementAndGet);
        left.stream().collect(Collectors.groupingBy(Entry::next)).values().forEach(database::recover);
        database.setTokens(database.tokens(), witness.tokens());
    }

    static void initialize(Words words, int capacity, Collection<? extends Words> filters) {
        ClaimRecords.initialize(words, capacity, new UUID(1, 1));
        filters.forEach(FilterInWords::initialize);
    }

    ScopeClaims scope(String scope) {
        return scopes.computeIfAbsent(
                scope,
                name -> HeapClaims.scope(claims, name, FilterInWords.open(Objects.requireNonNull(filters.get(name)))));
    }

    /** The records in its words. */
    List<Entry> written() {
        return records.entries();
    }
}
