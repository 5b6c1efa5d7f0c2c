package dev.fbf.core.claim;

import java.time.Instant;

/**
 * The committed transactions of a node that a database has forgotten, because it went back in time.
 *
 * @param slots the number of slots whose last transaction is gone: at least as many transactions were lost
 * @param since when a loss was last noticed
 */
public record LostCommits(int slots, Instant since) {}
