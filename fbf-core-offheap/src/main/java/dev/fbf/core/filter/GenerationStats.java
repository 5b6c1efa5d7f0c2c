package dev.fbf.core.filter;

import java.time.Duration;

/**
 * A generation of an arena.
 *
 * @param sealedFor how long ago it stopped being the newest; zero for the newest
 * @param fill the part of its positions that are set, 0 to 1, from a sample
 * @param approximateElementCount how many operations it holds, from the fill
 */
public record GenerationStats(Duration sealedFor, double fill, long approximateElementCount) {}
