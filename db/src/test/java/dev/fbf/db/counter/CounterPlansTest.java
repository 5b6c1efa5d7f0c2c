package dev.fbf.db.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Plans;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CounterPlansTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    static Stream<Plans.Statements> statements() {
        return Stream.of(
                counters -> counters.sql().reading(),
                counters -> counters.sql().findingMissing(),
                counters -> counters.sql().findingUnavailable());
    }

    @ParameterizedTest
    @MethodSource("statements")
    void countersAreLookedUpAndASmallTableIsNotReadFromEndToEnd(Plans.Statements sql) throws SQLException {
        Connection connection = database.connect(Map.of("preferQueryMode", "simple"));

        assertThat(Plans.onPages(connection, sql))
                .anyMatch(step -> step.matches(".*Index (Only )?Scan using page_pkey.*"))
                .noneMatch(step -> step.contains("Seq Scan on page"));
    }
}
