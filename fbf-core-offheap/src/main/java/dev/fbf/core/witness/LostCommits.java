package dev.fbf.core.witness;

import java.time.Instant;

/**
 * Committed operations of a scope that its database has lost because it went back in time.
 *
 * @param since the time at which the loss was noticed
 */
public record LostCommits(Instant since) {

    /** The message for operators, with a place for the scope. */
    static final String TEXT =
            "The database of scope {} has forgotten commits: its rows are older than the files of this node. Applied"
                    + " operations are missing, and fbf cannot determine which. Either a lagging standby has taken over, or the database was"
                    + " restored to an earlier state, or it is another one. Retries of operations that the filter remembers are refused until you"
                    + " accept the loss.";
}
