package dev.fbf.core.witness;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Layout of the file {@code fbf.claims} with a node's claims. Format 1; all words are 64 bits in native byte order.
 *
 * <pre>
 *  word   0       1         2          3        5          6      7        8       64
 *         +-------+---------+----------+--------+----------+------+--------+-------+----------+----------+---
 *         | magic | version | capacity | node   | checksum | last | behind | zeros | record 0 | record 1 | …
 *         |       |         |          | 2 words| of 0..4  | beat | at     |       | 8 words  |          |
 *         +-------+---------+----------+--------+----------+------+--------+-------+----------+----------+---
 *
 *  record 0       1..2           3       4                 5          6      7
 *         +-------+--------------+-------+-----------------+----------+------+---------+
 *         | state | operation id | scope | database | slot | previous | next | claimed |
 *         +-------+--------------+-------+-----------------+----------+------+---------+
 * </pre>
 *
 * <p>A record is a cache line. The state of a taken record is written last: 2<sup>32</sup> plus a checksum of the other seven words, which
 * describe the claim of an operation in a transaction; scope and database are hashes of their names, of 64 and 40 bits. The state of a
 * free record is zero. The last beat is the highest one that this node has drawn for a scope. "Behind at" is the time at which this file was
 * last found to be older than a row, in milliseconds since 1970; zero means never. Both are {@linkplain
 * dev.fbf.core.memory.CheckedWord checked words}.
 */
final class ClaimLayout {

    static final long MAGIC = 0x46_42_46_2D_43_4C_41_4DL; // "FBF-CLAM"
    static final long VERSION = 1;

    static final long MAGIC_WORD = 0;
    static final long VERSION_WORD = 1;
    static final long CAPACITY_WORD = 2;
    static final long NODE_WORD = 3;

    /** The checksum of the words before it. */
    static final long CHECKSUM_WORD = 5;

    static final long BEAT_WORD = 6;
    static final long BEHIND_AT_WORD = 7;

    static final int HEADER_WORDS = 64;
    static final int RECORD_WORDS = 8;

    static final int STATE = 0;
    static final int ID = 1;
    static final int SCOPE = 3;
    static final int DATABASE_AND_SLOT = 4;
    static final int PREVIOUS = 5;
    static final int NEXT = 6;
    static final int CLAIMED_AT = 7;

    static final long FREE = 0;

    /** The number of bits of a slot, or of a record's index. */
    static final int SLOT_BITS = 24;

    static final int MAX_CAPACITY = 1 << SLOT_BITS;

    private ClaimLayout() {}

    static long record(int index) {
        return HEADER_WORDS + (long) index * RECORD_WORDS;
    }

    static long words(int capacity) {
        return record(capacity);
    }

    /** Computes the hash by which the file stores the name of a scope. */
    static long hash(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    }

    /** Computes the hash by which the file stores the name of a database, beside a slot. */
    static long databaseHash(String name) {
        return hash(name) >>> SLOT_BITS;
    }
}
