package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.file.WordFile;
import dev.fbf.core.memory.CheckedWord;
import dev.fbf.core.memory.Words;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The records in the file of {@link ClaimLayout}. */
final class ClaimRecords {

    /** Bit that distinguishes a taken state from {@link ClaimLayout#FREE}, for every checksum. */
    private static final long TAKEN = 1L << Integer.SIZE;

    /** A claim in a transaction, as a record stores it: see {@link ClaimLayout}. */
    record Entry(
            int recordIndex,
            OperationId id,
            long scope,
            long database,
            int slot,
            long previous,
            long next,
            long claimedAt) {}

    /*
     * A power failure may bring back records that were freed in memory but not yet on the disk. Alone, they are harmless: the row of their
     * slot still has a token that they contain. But the disk may also have a later transaction that reused one of their record indexes or
     * operations, and the outcome of one transaction would overwrite the other's. The earlier transaction had ended before the later
     * began, so only the later one is kept.
     */
    private static final Comparator<Entry> BY_AGE =
            Comparator.comparingLong(Entry::claimedAt).thenComparingLong(Entry::next);

    private static final String FILE = "fbf.claims";

    private final Words words;

    ClaimRecords(Words words) {
        this.words = words;
    }

    /** Opens the file in a directory. Creates it if it does not exist, and enlarges it if it has fewer records than the capacity. */
    static ClaimRecords open(Path directory, int capacity) {
        WordFile file = new WordFile(
                "The file of the claims",
                directory.resolve(FILE),
                ClaimLayout.MAGIC,
                ClaimLayout.VERSION,
                ClaimLayout.HEADER_WORDS,
                "Restore the original file: it lists the operations that were in doubt when the process ended."
                        + " Only if none of them will be retried, move it away and start again.",
                "allow fewer claims");
        if (Files.notExists(file.path(), LinkOption.NOFOLLOW_LINKS)) {
            return create(file, capacity, UUID.randomUUID(), words -> {});
        }
        ClaimRecords records = new ClaimRecords(file.open(words -> {
            ClaimRecords header = new ClaimRecords(words);
            return header.isSound() ? (Long) bytes(header.capacity()) : null;
        }));
        if (!records.areSound()) {
            throw file.refused("a record is corrupt");
        }
        return records.capacity() >= capacity ? records : create(file, capacity, records.node(), records::copyTo);
    }

    /** Creates the file or replaces it; each record keeps its index. */
    private static ClaimRecords create(WordFile file, int capacity, UUID node, Consumer<Words> write) {
        return new ClaimRecords(file.create(bytes(capacity), words -> {
            initialize(words, capacity, node);
            write.accept(words);
        }));
    }

    private static long bytes(int capacity) {
        return ClaimLayout.words(capacity) * Long.BYTES;
    }

    static void initialize(Words words, int capacity, UUID node) {
        words.setRelease(ClaimLayout.MAGIC_WORD, ClaimLayout.MAGIC);
        words.setRelease(ClaimLayout.VERSION_WORD, ClaimLayout.VERSION);
        words.setRelease(ClaimLayout.CAPACITY_WORD, capacity);
        words.setRelease(ClaimLayout.NODE_WORD, node.getMostSignificantBits());
        words.setRelease(ClaimLayout.NODE_WORD + 1, node.getLeastSignificantBits());
        words.setRelease(ClaimLayout.BEAT_WORD, CheckedWord.of(Beat.NONE));
        words.setRelease(ClaimLayout.BEHIND_AT_WORD, CheckedWord.of(0));
        seal(words);
    }

    static void seal(Words words) {
        words.setRelease(ClaimLayout.CHECKSUM_WORD, words.checksum(0, ClaimLayout.CHECKSUM_WORD));
    }

    void requireInPlace() {
        words.requireInPlace();
    }

    /** Returns whether the header is intact. */
    boolean isSound() {
        return words.getVolatile(ClaimLayout.CHECKSUM_WORD) == words.checksum(0, ClaimLayout.CHECKSUM_WORD)
                && CheckedWord.isSound(words.getVolatile(ClaimLayout.BEAT_WORD))
                && CheckedWord.isSound(words.getVolatile(ClaimLayout.BEHIND_AT_WORD))
                && LongStream.range(ClaimLayout.BEHIND_AT_WORD + 1, ClaimLayout.HEADER_WORDS)
                        .allMatch(word -> words.getVolatile(word) == 0);
    }

    int capacity() {
        return (int) words.getVolatile(ClaimLayout.CAPACITY_WORD);
    }

    UUID node() {
        return new UUID(words.getVolatile(ClaimLayout.NODE_WORD), words.getVolatile(ClaimLayout.NODE_WORD + 1));
    }

    /**
     * Writes a record that is free. Once this returns, the record survives the death of the process.
     *
     * @throws InternalError if a store had no effect; the record is free then, because its state is written last
     */
    void write(Entry entry) {
        long record = ClaimLayout.record(entry.recordIndex);
        words.setChecked(record + ClaimLayout.STATE, ClaimLayout.FREE); // overwrites the old content from here on
        words.setChecked(record + ClaimLayout.ID, entry.id.high());
        words.setChecked(record + ClaimLayout.ID + 1, entry.id.low());
        words.setChecked(record + ClaimLayout.SCOPE, entry.scope);
        words.setChecked(record + ClaimLayout.DATABASE_AND_SLOT, entry.database << ClaimLayout.SLOT_BITS | entry.slot);
        words.setChecked(record + ClaimLayout.PREVIOUS, entry.previous);
        words.setChecked(record + ClaimLayout.NEXT, entry.next);
        words.setChecked(record + ClaimLayout.CLAIMED_AT, entry.claimedAt);
        words.setChecked(record + ClaimLayout.STATE, state(record)); // release: no reader sees a half-written record
    }

    /** @throws InternalError if the store had no effect: the record is unchanged */
    void free(int index) {
        words.setChecked(ClaimLayout.record(index) + ClaimLayout.STATE, ClaimLayout.FREE);
    }

    /** Returns whether all records are free or intact. */
    boolean areSound() {
        for (int index = 0; index < capacity(); index++) {
            long record = ClaimLayout.record(index);
            long state = words.getVolatile(record + ClaimLayout.STATE);
            if (state != ClaimLayout.FREE && state != state(record)) {
                return false;
            }
        }
        return true;
    }

    /** Reads the records that are not free. */
    List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (int index = 0; index < capacity(); index++) {
            if (words.getVolatile(ClaimLayout.record(index) + ClaimLayout.STATE) != ClaimLayout.FREE) {
                entries.add(read(index));
            }
        }
        return entries;
    }

    /** Returns the records of the transactions that the previous process left to settle, and frees the other records. */
    List<Entry> leftBehind() {
        List<Entry> kept = new ArrayList<>();
        Set<Object> keys = new HashSet<>();
        for (List<Entry> transaction : newestFirst(entries())) {
            Set<Object> its = keys(transaction);
            if (Collections.disjoint(keys, its)) {
                keys.addAll(its);
                kept.addAll(transaction);
            } else {
                transaction.forEach(entry -> free(entry.recordIndex()));
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

    long lastBeat() {
        return CheckedWord.value(words.getVolatile(ClaimLayout.BEAT_WORD));
    }

    void setLastBeat(long beat) {
        force(ClaimLayout.BEAT_WORD, beat);
    }

    long behindAt() {
        return CheckedWord.value(words.getVolatile(ClaimLayout.BEHIND_AT_WORD));
    }

    void setBehindAt(long millis) {
        force(ClaimLayout.BEHIND_AT_WORD, millis);
    }

    private void force(long word, long value) {
        words.setChecked(word, CheckedWord.of(value));
        words.force(0, ClaimLayout.HEADER_WORDS);
    }

    /** Copies all records, including free ones, and the changing words of the header. */
    void copyTo(Words larger) {
        larger.setRelease(ClaimLayout.BEAT_WORD, words.getVolatile(ClaimLayout.BEAT_WORD));
        larger.setRelease(ClaimLayout.BEHIND_AT_WORD, words.getVolatile(ClaimLayout.BEHIND_AT_WORD));
        for (long word = ClaimLayout.record(0); word < ClaimLayout.words(capacity()); word++) {
            larger.setRelease(word, words.getVolatile(word));
        }
    }

    private Entry read(int index) {
        long record = ClaimLayout.record(index);
        long databaseAndSlot = words.getVolatile(record + ClaimLayout.DATABASE_AND_SLOT);
        return new Entry(
                index,
                new OperationId(
                        words.getVolatile(record + ClaimLayout.ID), words.getVolatile(record + ClaimLayout.ID + 1)),
                words.getVolatile(record + ClaimLayout.SCOPE),
                databaseAndSlot >>> ClaimLayout.SLOT_BITS,
                (int) databaseAndSlot & (ClaimLayout.MAX_CAPACITY - 1),
                words.getVolatile(record + ClaimLayout.PREVIOUS),
                words.getVolatile(record + ClaimLayout.NEXT),
                words.getVolatile(record + ClaimLayout.CLAIMED_AT));
    }

    @Override
    public String toString() {
        return words.toString();
    }

    private long state(long record) {
        return TAKEN | words.checksum(record + 1, ClaimLayout.RECORD_WORDS - 1);
    }
}
