package dev.fbf.core.witness;

import java.time.Instant;

/**
 * Committed transactions of a node that its database has lost because it went back in time.
 *
 * @param slots the number of slots whose last transaction is lost: a lower bound of the number of lost transactions
 * @param since the time at which the last loss was noticed
 */
public record LostCommits(int slots, Instant since) {}
