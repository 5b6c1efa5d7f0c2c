package dev.fbf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.OperationOutcome;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of problems on the page about the HTTP contract. */
class ProblemsTableTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[a-z`, -]+`) \\| (\\d{3}) \\|");

    @Test
    void eachTypeIsInTheTableWithItsStatus() {
        Map<String, Integer> problems = new HashMap<>();
        for (OperationOutcome outcome : OperationOutcome.values()) {
            if (outcome.problem() != null) {
                problems.put(outcome.problem(), outcome.status());
            }
        }

        Map<String, Integer> documented = new HashMap<>();
        ROW.matcher(Page.of("docs/http.md").text()).results().forEach(row -> {
            for (String type : row.group(1).replace("`", "").split(", ", -1)) {
                documented.put(type, Integer.valueOf(row.group(2)));
            }
        });

        assertThat(documented).isEqualTo(problems);
    }
}
