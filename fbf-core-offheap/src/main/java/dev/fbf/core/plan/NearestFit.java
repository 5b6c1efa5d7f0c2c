package dev.fbf.core.plan;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Nearest alternatives if a sizing does not fit into its memory: for each of the other three values, the nearest value that fits while the
 * other two are unchanged. Rounded to three digits in the direction that still fits.
 */
final class NearestFit {

    private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.DOWN);

    /** Moves values off the exact limit, where the last bit would decide, in case rounding does not change them. */
    private static final double INSIDE = 1 - 1e-6;

    private final FilterSizing sizing;
    private final List<Candidate> candidates;
    private final long lines;

    NearestFit(FilterSizing sizing, List<Candidate> candidates) {
        this.sizing = sizing;
        this.candidates = candidates;
        lines = (sizing.maxBytes() / Long.BYTES - FilterPlan.HEADER_WORDS) / FilterPlan.LINE_WORDS;
    }

    /** Creates the exception: the bytes needed, and the values that need fewer. Omits alternatives that are out of range. */
    IllegalArgumentException refusal(long bytesNeeded) {
        double rate = highest(candidate -> candidate.highestRate(sizing, lines));
        Duration window = Duration.ofMillis((long) highest(candidate -> candidate.longestWindow(sizing, lines)));
        double probability = 1 / highest(candidate -> 1 / candidate.lowestFpp(sizing, lines));
        List<String> alternatives = new ArrayList<>();
        if (rate >= FilterSizing.MIN_RATE) {
            alternatives.add("up to " + FilterSizing.rate(rate));
        }
        if (window.compareTo(FilterSizing.MIN_WINDOW) >= 0) {
            alternatives.add("a retry window up to " + window);
        }
        if (probability <= FilterSizing.MAX_FPP) {
            alternatives.add(FilterSizing.falsePositives(probability));
        }
        if (alternatives.isEmpty()) {
            alternatives.add("no plan that differs in one value only");
        }
        return new IllegalArgumentException("maxBytes=" + sizing.maxBytes() + ": " + sizing.statement() + ", need "
                + FilterSizing.bytes(bytesNeeded) + "; within " + FilterSizing.bytes(sizing.maxBytes()) + ": "
                + String.join(", or ", alternatives));
    }

    private double highest(ToDoubleFunction<Candidate> value) {
        double highest = candidates.stream().mapToDouble(value).max().orElseThrow();
        return new BigDecimal(highest * INSIDE).round(THREE_DIGITS).doubleValue();
    }
}
