package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The plans that PostgreSQL makes for statements whose parameters it does not know, and keeps. */
class PlansTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private Connection connection;

    interface Sql {
        String of(CounterTable counters);
    }

    static Stream<Sql> statementsOnCounters() {
        String compareAndSet = new WitnessTable(FbfDatabase.TABLES, UUID.randomUUID()).compareAndSet();
        String turned = "turned AS (" + compareAndSet + " RETURNING slot)";
        return Stream.concat(
                statementsOfLedgerGroups(),
                Stream.of(
                        counters -> counters.addingWitnessed(compareAndSet),
                        counters ->
                                counters.addingOptimistically(turned, "turned").one(),
                        counters ->
                                counters.addingOptimistically(turned, "turned").many(),
                        CounterTable::reading));
    }

    static Stream<Sql> statementsOfLedgerGroups() {
        String entering = FbfDatabase.LEDGER.entering();
        return Stream.of(
                counters -> counters.addingEntered(FbfDatabase.LEDGER.insertEntries()),
                counters -> counters.addingOptimistically(entering, null).one(),
                counters -> counters.addingOptimistically(entering, null).many());
    }

    @BeforeEach
    void connect() throws SQLException {
        // the extended protocol wants values for the parameters
        connection = database.connect(Map.of("preferQueryMode", "simple"));
    }

    @ParameterizedTest
    @MethodSource("statementsOnCounters")
    void countersAreLookedUpAndASmallTableIsNotReadFromEndToEnd(Sql sql) throws SQLException {
        FbfDatabase.execute(connection, "DROP TABLE IF EXISTS page");
        FbfDatabase.execute(connection, "CREATE TABLE page (id bigint PRIMARY KEY, views bigint NOT NULL)");
        FbfDatabase.execute(connection, "INSERT INTO page SELECT id, 0 FROM generate_series(1, 1000) AS id");
        FbfDatabase.execute(connection, "ANALYZE page");

        String statement = sql.of(CounterTable.of(connection, new Counters.Table("page", "id", "views")));

        assertThat(planOf(statement))
                .anyMatch(step -> step.contains("Index Scan using page_pkey"))
                .noneMatch(step -> step.contains("Seq Scan on page"));
    }

    @ParameterizedTest
    @ValueSource(strings = {LedgerTable.INSERT, LedgerTable.CONTAINS})
    void operationsAreLookedUpThoughTheLedgerWasEmptiedAndMayFillAgain(String statement) throws SQLException {
        FbfDatabase.enterExpired(connection, 5_000);
        FbfDatabase.LEDGER.purge(database.connect(), 0, 1_000);
        FbfDatabase.execute(connection, "VACUUM ANALYZE fbf_ledger");

        assertThat(planOf(FbfDatabase.TABLES.sql(statement)))
                .anyMatch(step -> step.contains("using fbf_ledger_pkey"))
                .noneMatch(step -> step.contains("Seq Scan on fbf_ledger"));
    }

    @ParameterizedTest
    @MethodSource("statementsOfLedgerGroups")
    void groupIsEnteredByTheUniqueKeyAloneAndNoPlanReadsTheLedger(Sql sql) throws SQLException {
        List<String> plan = planOf(sql.of(CounterTable.ofFbf(FbfDatabase.TABLES)));

        assertThat(plan)
                .anyMatch(step -> step.contains("Insert on fbf_ledger"))
                .noneMatch(step -> step.matches(".*Scan.* fbf_ledger.*"));
    }

    @Test
    void thePurgeReadsItsPagesAlone() throws SQLException {
        assertThat(planOf(FbfDatabase.TABLES.sql(LedgerTable.PURGE)))
                .anyMatch(step -> step.contains("Tid Range Scan on fbf_ledger"))
                .noneMatch(step -> step.contains("Seq Scan on fbf_ledger"));
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
