package dev.fbf.core.claim;

import java.time.Instant;

/**
 * What a database has forgotten of the transactions that a node knows to have committed there: it went back in time.
 *
 * @param slots the number of slots whose last transaction is gone; that many transactions at least were lost
 * @param since when that was last noticed
 */
public record LostCommits(int slots, Instant since) {}
