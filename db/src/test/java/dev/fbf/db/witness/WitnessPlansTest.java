package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Plans;
import dev.fbf.db.dialect.CounterSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WitnessPlansTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private Connection connection;

    static Stream<Plans.Statements> statements() {
        String compareAndSet = new WitnessTable(FbfDatabase.TABLES, UUID.randomUUID()).compareAndSet();
        String turned = "turned AS (" + compareAndSet + " RETURNING " + CounterSql.SET_LOCK_TIMEOUT + ")";
        return Stream.of(
                counters -> counters.sql().addingTogether(turned, "turned").one(),
                counters -> counters.sql().addingTogether(turned, "turned").many());
    }

    @BeforeEach
    void connect() throws SQLException {
        // the extended protocol wants values for the parameters
        connection = database.connect(Map.of("preferQueryMode", "simple"));
    }

    @ParameterizedTest
    @MethodSource("statements")
    void countersAreLookedUpAndASmallTableIsNotReadFromEndToEnd(Plans.Statements sql) throws SQLException {
        assertThat(Plans.onPages(connection, sql))
                .anyMatch(step -> step.contains("Index Scan using page_pkey"))
                .noneMatch(step -> step.contains("Seq Scan on page"));
    }
}
