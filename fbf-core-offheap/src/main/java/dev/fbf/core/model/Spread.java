package dev.fbf.core.model;

/**
 * How the positions of an element are spread: over a few lines, chosen independently and with the same chance, and in
 * each over a few of its slots, chosen likewise.
 *
 * @param lines how many lines an element has, at least 1
 * @param probesPerLine how many slots it has in each of them, 1 to 4; the same slot may be chosen twice
 * @param slots how many slots a line has, at least 1
 */
public record Spread(int lines, int probesPerLine, int slots) {

    /** Checks the ranges. */
    public Spread {
        if (lines < 1 || probesPerLine < 1 || probesPerLine > 4 || slots < 1) {
            throw new IllegalArgumentException("lines=" + lines + ", probesPerLine=" + probesPerLine + ", slots="
                    + slots + ": must be at least 1, with at most 4 probes per line");
        }
    }

    /**
     * Returns the spread of a plain Bloom filter's probes: each may be anywhere. What is called a line is then a single
     * position, so that an average one gets κn/m elements in a period.
     *
     * @param probes κ, how many positions an element has
     * @return so many lines of one slot
     */
    public static Spread free(int probes) {
        return new Spread(probes, 1, 1);
    }

    /**
     * Returns how many probes an element has in all.
     *
     * @return κ
     */
    public int probes() {
        return lines * probesPerLine;
    }
}
