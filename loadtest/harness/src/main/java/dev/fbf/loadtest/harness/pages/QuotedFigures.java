package dev.fbf.loadtest.harness.pages;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds figures that a page quotes from another one. */
final class QuotedFigures {

    /*
     * A figure is a number with a decimal point and two significant digits, or with a comma for thousands and not only zeros
     * behind it. A version is none: a number with two points, or after a word that begins with a capital letter, as in "Spring
     * Boot 4.1". A number is quoted if one of the other page is the same, or is when it is rounded to as many digits.
     *
     * It does not see integers below a thousand, round thousands, 0.1 to 0.9, numbers in words and in code, ratios that were
     * computed from figures, and what was rounded to a whole number.
     */
    private static final Pattern FIGURE = Pattern.compile(
            "(?<![\\w.,-])(?<![A-Z]\\w{0,20},? )(\\d{1,3}(?:,\\d{3})+|\\d+)(\\.\\d+)?(?![\\d-]|\\.\\d|,\\d)");

    private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]*`");

    private QuotedFigures() {}

    /** The figures of one page that the other one has too. */
    static List<String> in(String page, String other) {
        List<BigDecimal> others = figures(other).map(QuotedFigures::value).toList();
        return figures(page)
                .filter(figure -> {
                    BigDecimal value = value(figure);
                    return others.stream()
                            .anyMatch(theirs -> theirs.scale() >= value.scale()
                                    && theirs.setScale(value.scale(), RoundingMode.HALF_UP)
                                                    .compareTo(value)
                                            == 0);
                })
                .toList();
    }

    private static Stream<String> figures(String page) {
        return FIGURE.matcher(CODE.matcher(page).replaceAll(""))
                .results()
                .map(MatchResult::group)
                .filter(figure -> figure.contains(".")
                        ? value(figure).precision() > 1
                        : figure.contains(",") && !figure.endsWith(",000"));
    }

    private static BigDecimal value(String figure) {
        return new BigDecimal(figure.replace(",", ""));
    }
}
