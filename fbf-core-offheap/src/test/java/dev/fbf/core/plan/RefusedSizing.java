package dev.fbf.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a refusal as a person would: each alternative as printed, put in place of the stated value. */
final class RefusedSizing {

    private static final Pattern TEXT = Pattern.compile(
            "maxBytes=\\d+: .* operations/s, retried for PT.*, need ([0-9,]+)"
                    + " bytes; within [0-9,]+ bytes: (?:up to ([0-9,.]+) operations/s)?"
                    + "(?:(?:, or )?a retry window up to ([PTHMS0-9.]+))?(?:(?:, or )?1 false positive in ([0-9,.]+))?");

    private RefusedSizing() {}

    static List<FilterSizing> alternatives(FilterSizing asked, IllegalArgumentException refusal) {
        Matcher text = TEXT.matcher(refusal.getMessage());
        assertThat(refusal).hasMessageMatching(TEXT);
        assertThat(text.matches()).isTrue();
        List<FilterSizing> alternatives = new ArrayList<>();
        alternatives.add(new FilterSizing(
                asked.expectedOperationsPerSecond(), asked.retryWindow(), asked.falsePositiveProbability(), (long)
                        number(text.group(1))));
        if (text.group(2) != null) {
            alternatives.add(new FilterSizing(
                    number(text.group(2)), asked.retryWindow(), asked.falsePositiveProbability(), asked.maxBytes()));
        }
        if (text.group(3) != null) {
            alternatives.add(new FilterSizing(
                    asked.expectedOperationsPerSecond(),
                    Duration.parse(text.group(3)),
                    asked.falsePositiveProbability(),
                    asked.maxBytes()));
        }
        if (text.group(4) != null) {
            alternatives.add(new FilterSizing(
                    asked.expectedOperationsPerSecond(),
                    asked.retryWindow(),
                    1 / number(text.group(4)),
                    asked.maxBytes()));
        }
        return alternatives;
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace(",", ""));
    }
}
