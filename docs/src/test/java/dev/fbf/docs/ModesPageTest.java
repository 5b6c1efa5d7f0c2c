package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.plan.FilterSizing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of sizes on the page about the modes is computed by the planner. */
class ModesPageTest {

    private static final Pattern ROW = Pattern.compile(
            "\\| ([\\d,]+)/s \\| (\\d+) (min|h) \\| 1 in a (million|billion) \\| ([\\d.,]+) MB \\| ([\\d.,]+) MB \\|");

    @Test
    void sizesAreThoseOfThePlans() {
        List<MatchResult> rows =
                ROW.matcher(Page.of("docs/modes.md").text()).results().toList();

        assertThat(rows).hasSizeGreaterThan(3).allSatisfy(row -> {
            assertThat(megabytes(row, row.group(5), false)).as(row.group()).isEqualTo(number(row.group(5)));
            assertThat(megabytes(row, row.group(6), true)).as(row.group()).isEqualTo(number(row.group(6)));
        });
    }

    /** Returns the size of a row's filter, with as many digits as the page shows. */
    private static BigDecimal megabytes(MatchResult row, String shown, boolean requests) {
        int count = Integer.parseInt(row.group(2));
        FilterSizing sizing = new FilterSizing(
                number(row.group(1)).doubleValue(),
                row.group(3).equals("h") ? Duration.ofHours(count) : Duration.ofMinutes(count),
                row.group(4).equals("million") ? 1e-6 : 1e-9,
                FilterSizing.UNLIMITED,
                requests);
        return BigDecimal.valueOf(sizing.plan().bytes())
                .movePointLeft(6)
                .setScale(number(shown).scale(), RoundingMode.HALF_UP);
    }

    private static BigDecimal number(String text) {
        return new BigDecimal(text.replace(",", ""));
    }
}
