package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The plans that PostgreSQL keeps for statements that do not tell it how many counters they are about. */
class CounterPlansTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase(Map.of());

    private Connection connection;

    interface Sql {
        String of(CounterTable counters);
    }

    static Stream<Sql> statements() {
        return Stream.of(CounterTable::addingWitnessed, CounterTable::addingEntered, CounterTable::reading);
    }

    @BeforeEach
    void makeATableOfFewPages() throws SQLException {
        // the extended protocol wants values for the parameters
        connection = database.connect(Map.of("preferQueryMode", "simple"));
        FbfDatabase.execute(connection, "DROP TABLE IF EXISTS page");
        FbfDatabase.execute(connection, "CREATE TABLE page (id bigint PRIMARY KEY, views bigint NOT NULL)");
        FbfDatabase.execute(connection, "INSERT INTO page SELECT id, 0 FROM generate_series(1, 1000) AS id");
        FbfDatabase.execute(connection, "ANALYZE page");
    }

    @ParameterizedTest
    @MethodSource("statements")
    void lookCountersUpAndDoNotReadASmallTableFromEndToEnd(Sql sql) throws SQLException {
        String statement = sql.of(CounterTable.of(connection, "page", "id", "views"));

        assertThat(planOf(statement))
                .anyMatch(step -> step.contains("Index Scan using page_pkey"))
                .noneMatch(step -> step.contains("Seq Scan on page"));
    }

    private List<String> planOf(String statement) throws SQLException {
        List<String> plan = new ArrayList<>();
        try (Statement explain = connection.createStatement();
                ResultSet steps = explain.executeQuery("EXPLAIN (GENERIC_PLAN) " + numbered(statement))) {
            while (steps.next()) {
                plan.add(steps.getString(1));
            }
        }
        return plan;
    }

    private static String numbered(String statement) {
        StringBuilder numbered = new StringBuilder();
        int parameters = 0;
        for (String part : statement.split("\\?", -1)) {
            numbered.append(parameters == 0 ? "" : "$" + parameters).append(part);
            parameters++;
        }
        return numbered.toString();
    }
}
