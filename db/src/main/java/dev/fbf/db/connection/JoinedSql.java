package dev.fbf.db.connection;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * SQL of a prelude and a caller's statement, cached: the driver finds its prepared statement by the text, and the hash of a new text costs
 * more than the rest of the search. Thread-safe.
 *
 * @param joined both texts as one
 */
record JoinedSql(String prelude, String statement, String joined) {

    /**
     * Size of the cache, a power of 2. Texts with the same index replace each other, so that an application with many texts needs no
     * more memory.
     */
    private static final int SIZE = 512;

    private static final AtomicReferenceArray<JoinedSql> CACHE = new AtomicReferenceArray<>(SIZE);

    static String of(String prelude, String statement) {
        int hash = 31 * prelude.hashCode() + statement.hashCode();
        int index = (hash ^ (hash >>> 16)) & (SIZE - 1);
        JoinedSql known = CACHE.get(index);
        if (known == null || !known.prelude.equals(prelude) || !known.statement.equals(statement)) {
            known = new JoinedSql(prelude, statement, prelude + ";\n" + statement);
            CACHE.set(index, known);
        }
        return known.joined;
    }
}
