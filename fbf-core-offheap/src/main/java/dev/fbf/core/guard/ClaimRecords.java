package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.Checksum;
import dev.fbf.core.memory.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Reads and writes what {@link ClaimLayout} says. */
final class ClaimRecords {

    /** Sets the state of a record that is not free apart from {@link ClaimLayout#FREE}, whatever the checksum. */
    private static final long TAKEN = 1L << Integer.SIZE;

    /**
     * A claim of an operation that is part of a transaction: as it is in a record that is not free, or in a log.
     *
     * @param number the number of its record
     * @param id the operation
     * @param scope the number of its scope
     * @param database the number of the database
     * @param slot the witness's row
     * @param previous the row's token before the transaction
     * @param next the row's token once the transaction has committed
     * @param claimedAt when it was written, in milliseconds since 1970; in a log, when its transaction was about to commit, by the
     *     filter's clock
     * @param request what asked for the operation; null if that is not known. A log has it, and a record has not
     */
    record Entry(
            int number,
            OperationId id,
            int scope,
            int database,
            int slot,
            long previous,
            long next,
            long claimedAt,
            @Nullable OperationId request) {

        /** As a record has it. */
        Entry(int number, OperationId id, int scope, int database, int slot, long previous, long next, long claimedAt) {
            this(number, id, scope, database, slot, previous, next, claimedAt, null);
        }
    }

    private final Words words;

    ClaimRecords(Words words) {
        this.words = words;
    }

    /** Writes the header of a file of free records. */
    static void initialize(Words words, int capacity, UUID node) {
        words.setRelease(ClaimLayout.MAGIC_WORD, ClaimLayout.MAGIC);
        words.setRelease(ClaimLayout.VERSION_WORD, ClaimLayout.VERSION);
        words.setRelease(ClaimLayout.CAPACITY_WORD, capacity);
        words.setRelease(ClaimLayout.NODE_WORD, node.getMostSignificantBits());
        words.setRelease(ClaimLayout.NODE_WORD + 1, node.getLeastSignificantBits());
        seal(words);
    }

    /** Writes the checksum of a header. */
    static void seal(Words words) {
        words.setRelease(ClaimLayout.CHECKSUM_WORD, Checksum.of(words, 0, ClaimLayout.CHECKSUM_WORD));
    }

    /** Whether the header is as it was written. */
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

    /** Writes a record that is free. Once this returns, it survives the death of the process. */
    void write(Entry entry) {
        long record = ClaimLayout.record(entry.number);
        words.setRelease(record + ClaimLayout.ID, entry.id.high());
        words.setRelease(record + ClaimLayout.ID + 1, entry.id.low());
        words.setRelease(record + ClaimLayout.SCOPE, entry.scope);
        words.setRelease(record + ClaimLayout.PLACE, (long) entry.database << Integer.SIZE | entry.slot);
        words.setRelease(record + ClaimLayout.PREVIOUS, entry.previous);
        words.setRelease(record + ClaimLayout.NEXT, entry.next);
        words.setRelease(record + ClaimLayout.CLAIMED_AT, entry.claimedAt);
        words.setRelease(record + ClaimLayout.STATE, state(record)); // release: nobody sees a record half written
    }

    void free(int number) {
        words.setRelease(ClaimLayout.record(number) + ClaimLayout.STATE, ClaimLayout.FREE);
    }

    /** Whether each record is free or as it was written. */
    boolean areSound() {
        for (int number = 0; number < capacity(); number++) {
            long record = ClaimLayout.record(number);
            long state = words.getVolatile(record + ClaimLayout.STATE);
            if (state != ClaimLayout.FREE && state != state(record)) {
                return false;
            }
        }
        return true;
    }

    /** The records that are not free. */
    List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (int number = 0; number < capacity(); number++) {
            if (words.getVolatile(ClaimLayout.record(number) + ClaimLayout.STATE) != ClaimLayout.FREE) {
                entries.add(read(number));
            }
        }
        return entries;
    }

    private Entry read(int number) {
        long record = ClaimLayout.record(number);
        long place = words.getVolatile(record + ClaimLayout.PLACE);
        return new Entry(
                number,
                new OperationId(
                        words.getVolatile(record + ClaimLayout.ID), words.getVolatile(record + ClaimLayout.ID + 1)),
                (int) words.getVolatile(record + ClaimLayout.SCOPE),
                (int) (place >>> Integer.SIZE),
                (int) place,
                words.getVolatile(record + ClaimLayout.PREVIOUS),
                words.getVolatile(record + ClaimLayout.NEXT),
                words.getVolatile(record + ClaimLayout.CLAIMED_AT));
    }

    private long state(long record) {
        return TAKEN | Checksum.of(words, record + 1, ClaimLayout.RECORD_WORDS - 1);
    }
}
