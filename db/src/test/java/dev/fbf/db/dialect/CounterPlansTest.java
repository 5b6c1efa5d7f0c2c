package dev.fbf.db.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Plans;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CounterPlansTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @Test
    void countersAreLookedUpAndASmallTableIsNotReadFromEndToEnd() throws SQLException {
        Connection connection = database.connect(Map.of("preferQueryMode", "simple"));

        assertThat(Plans.onPages(connection, counters -> counters.sql().reading()))
                .anyMatch(step -> step.matches(".*Index (Only )?Scan using page_pkey.*"))
                .noneMatch(step -> step.contains("Seq Scan on page"));
    }
}
