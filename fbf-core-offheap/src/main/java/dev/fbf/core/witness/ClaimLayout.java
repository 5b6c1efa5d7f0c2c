package dev.fbf.core.witness;

/**
 * Layout of the file {@code fbf.claims} with a node's claims. Format 1; all words are 64 bits in native byte order.
 *
 * <pre>
 *  word   0       1         2          3        5          6       64
 *         +-------+---------+----------+--------+----------+-------+----------+----------+----------+---
 *         | magic | version | capacity | node   | checksum | zeros | record 0 | record 1 | record 2 | …
 *         |       |         |          | 2 words| of 0..4  |       | 8 words  |          |          |
 *         +-------+---------+----------+--------+----------+-------+----------+----------+----------+---
 *
 *  record 0       1..2           3       4                 5          6      7
 *         +-------+--------------+-------+-----------------+----------+------+---------+
 *         | state | operation id | scope | database | slot | previous | next | claimed |
 *         +-------+--------------+-------+-----------------+----------+------+---------+
 * </pre>
 *
 * <p>A record is a cache line. The state of a taken record is written last: 2<sup>32</sup> plus a checksum of the other seven words, which
 * describe the claim of an operation in a transaction; scope and database are hashes of their names. The state of a free record is zero,
 * or 2<sup>33</sup> plus the time until which the filter certainly remembers the record's applied operation, in seconds since 1970. Such
 * records show whether the files of the filter and of the tokens are the ones that were written last.
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

    private ClaimLayout() {}

    static long record(int index) {
        return HEADER_WORDS + (long) index * RECORD_WORDS;
    }

    static long words(int capacity) {
        return record(capacity);
    }

    /** Computes the hash by which the file stores the name of a scope or database. */
    static int hash(String name) {
        // String.hashCode() is specified, and so the same on all platforms
        return name.hashCode();
    }
}
