package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.Checksum;
import dev.fbf.core.memory.ReleasedWords;
import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The records in the file of {@link ClaimLayout}. */
final class ClaimRecords {

    /** Bit that distinguishes a taken state from {@link ClaimLayout#FREE}, for every checksum. */
    private static final long TAKEN = 1L << Integer.SIZE;

    /** Bit that marks the state of a free record whose operation was applied. */
    private static final long APPLIED = 1L << (Integer.SIZE + 1);

    private static final long LOW = TAKEN - 1;

    /**
     * A claim in a transaction, as a record stores it.
     *
     * @param recordIndex the index of its record
     * @param id the operation
     * @param scope the hash of its scope
     * @param database the hash of the database
     * @param slot the slot of the transaction
     * @param previous the token of the slot's row before the transaction
     * @param next the token of the row once the transaction has committed
     * @param claimedAt the time of the record's write, in milliseconds since 1970
     */
    record Entry(
            int recordIndex,
            OperationId id,
            int scope,
            int database,
            int slot,
            long previous,
            long next,
            long claimedAt) {}

    /**
     * A claim whose operation was applied and whose record was not reused since.
     *
     * @param recordIndex the index of its record
     * @param id the operation
     * @param scope the hash of its scope
     * @param database the hash of the database
     * @param slot the slot of its transaction
     * @param next the token of that transaction
     * @param rememberedUntil the time until which the filter certainly remembers it, in seconds since 1970 by the filter's clock
     */
    record Applied(
            int recordIndex, OperationId id, int scope, int database, int slot, long next, long rememberedUntil) {

        /**
         * Returns whether this was the slot's own claim in the database. Its record was not reused, so it is of the slot's last
         * transaction.
         */
        boolean isLastIn(int database) {
            return this.database == database && recordIndex == slot;
        }
    }

    private Words words;

    ClaimRecords(Words words) {
        this.words = words;
    }

    static void initialize(Words words, int capacity, UUID node) {
        words.setRelease(ClaimLayout.MAGIC_WORD, ClaimLayout.MAGIC);
        words.setRelease(ClaimLayout.VERSION_WORD, ClaimLayout.VERSION);
        words.setRelease(ClaimLayout.CAPACITY_WORD, capacity);
        words.setRelease(ClaimLayout.NODE_WORD, node.getMostSignificantBits());
        words.setRelease(ClaimLayout.NODE_WORD + 1, node.getLeastSignificantBits());
        seal(words);
    }

    static void seal(Words words) {
        words.setRelease(ClaimLayout.CHECKSUM_WORD, Checksum.of(words, 0, ClaimLayout.CHECKSUM_WORD));
    }

    /** Releases the words, so that the file can be unmapped. */
    void release() {
        words = new ReleasedWords();
    }

    /** @throws InternalError if the file was deleted, moved or truncated */
    void requireInPlace() {
        words.requireInPlace();
    }

    /** Returns whether the header is intact. */
    boolean isSound() {
        return words.getVolatile(ClaimLayout.CHECKSUM_WORD) == Checksum.of(words, 0, ClaimLayout.CHECKSUM_WORD)
                && LongStream.range(ClaimLayout.CHECKSUM_WORD + 1, ClaimLayout.HEADER_WORDS)
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
        words.setChecked(record + ClaimLayout.DATABASE_AND_SLOT, (long) entry.database << Integer.SIZE | entry.slot);
        words.setChecked(record + ClaimLayout.PREVIOUS, entry.previous);
        words.setChecked(record + ClaimLayout.NEXT, entry.next);
        words.setChecked(record + ClaimLayout.CLAIMED_AT, entry.claimedAt);
        words.setChecked(record + ClaimLayout.STATE, state(record)); // release: no reader sees a half-written record
    }

    /** @throws InternalError if the store had no effect: the record is unchanged */
    void free(int index) {
        words.setChecked(ClaimLayout.record(index) + ClaimLayout.STATE, ClaimLayout.FREE);
    }

    /**
     * Frees the record of an operation that the filter has.
     *
     * @param rememberedUntil the time until which the filter certainly remembers it, in seconds since 1970
     * @throws InternalError if the store had no effect: the record is unchanged
     */
    void freeApplied(int index, long rememberedUntil) {
        words.setChecked(ClaimLayout.record(index) + ClaimLayout.STATE, APPLIED | (rememberedUntil & LOW));
    }

    /** Clears the applied operation of a free record, unless the record was reused. */
    void forgetApplied(Applied applied) {
        words.compareAndSet(
                ClaimLayout.record(applied.recordIndex) + ClaimLayout.STATE,
                APPLIED | applied.rememberedUntil,
                ClaimLayout.FREE);
    }

    /** Reads the free records that were not reused since their operation was applied. */
    List<Applied> applied() {
        List<Applied> applied = new ArrayList<>();
        for (int index = 0; index < capacity(); index++) {
            Applied read = applied(index);
            if (read != null) {
                applied.add(read);
            }
        }
        return applied;
    }

    /**
     * Reads a free record that was not reused since its operation was applied; null for other records, and if it is written concurrently.
     */
    @Nullable Applied applied(int index) {
        long state = words.getVolatile(ClaimLayout.record(index) + ClaimLayout.STATE);
        if (!isApplied(state)) {
            return null;
        }
        Entry entry = read(index);
        Applied applied =
                new Applied(index, entry.id, entry.scope, entry.database, entry.slot, entry.next, state & LOW);
        return words.getVolatile(ClaimLayout.record(index) + ClaimLayout.STATE) == state ? applied : null;
    }

    private static boolean isApplied(long state) {
        return state >>> Integer.SIZE == APPLIED >>> Integer.SIZE;
    }

    /** Returns whether all records are free or intact. */
    boolean areSound() {
        for (int index = 0; index < capacity(); index++) {
            long record = ClaimLayout.record(index);
            long state = words.getVolatile(record + ClaimLayout.STATE);
            if (state != ClaimLayout.FREE && !isApplied(state) && state != state(record)) {
                return false;
            }
        }
        return true;
    }

    /** Reads the records that are not free. */
    List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (int index = 0; index < capacity(); index++) {
            long state = words.getVolatile(ClaimLayout.record(index) + ClaimLayout.STATE);
            if (state != ClaimLayout.FREE && !isApplied(state)) {
                entries.add(read(index));
            }
        }
        return entries;
    }

    /** Copies all records, including free ones. */
    void copyTo(Words larger) {
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
                (int) words.getVolatile(record + ClaimLayout.SCOPE),
                (int) (databaseAndSlot >>> Integer.SIZE),
                (int) databaseAndSlot,
                words.getVolatile(record + ClaimLayout.PREVIOUS),
                words.getVolatile(record + ClaimLayout.NEXT),
                words.getVolatile(record + ClaimLayout.CLAIMED_AT));
    }

    /** {@return the file's path; {@code memory} without a file} */
    @Override
    public String toString() {
        return words.toString();
    }

    private long state(long record) {
        return TAKEN | Checksum.of(words, record + 1, ClaimLayout.RECORD_WORDS - 1);
    }
}
