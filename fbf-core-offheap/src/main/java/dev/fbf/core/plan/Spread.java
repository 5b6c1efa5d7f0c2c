package dev.fbf.core.plan;

/**
 * The distribution of an element's positions: a few lines, and a few slots in each of these lines, all chosen independently and uniformly.
 *
 * @param lines the number of lines of an element, at least 1
 * @param probesPerLine the number of its slots per line, 1 to 4; the same slot may be chosen twice
 * @param slots the number of slots in a line, at least 1
 */
public record Spread(int lines, int probesPerLine, int slots) {

    /** {@return κ, the number of probes of an element in all its lines} */
    public int probes() {
        return lines * probesPerLine;
    }
}
