package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Claim.Verdict;

/**
 * A claim of the paper and what came out.
 *
 * @param where the figure, table or theorem
 * @param because the verdict in a sentence
 */
record Judged(String where, String claim, String paper, String measured, Verdict verdict, String because) {

    /** The verdict over two conditions: both, one or none of them is met. */
    static Verdict verdict(boolean one, boolean other) {
        return one && other ? Verdict.HOLDS : one || other ? Verdict.PARTLY : Verdict.FAILS;
    }

    static Verdict verdict(boolean holds) {
        return verdict(holds, holds);
    }
}
