package dev.fbf.core.filter;

import java.time.Duration;

/**
 * Statistics of a generation of an arena.
 *
 * @param sealedFor the time since it stopped being the newest; zero for the newest
 * @param fill the fraction of its positions that are set, 0 to 1, from a sample
 * @param approximateElementCount the number of its {@linkplain FilterStats#approximateElementCount() elements}, estimated from the fill
 */
public record GenerationStats(Duration sealedFor, double fill, long approximateElementCount) {}
