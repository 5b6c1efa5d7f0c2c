package dev.fbf.core.filter;

/**
 * Statistics of a generation of an arena.
 *
 * @param fill the fraction of its positions that are set, 0 to 1, from a sample
 * @param approximateElementCount the number of its {@linkplain FilterStats#approximateElementCount() elements}, estimated from the fill
 */
public record GenerationStats(double fill, long approximateElementCount) {}
