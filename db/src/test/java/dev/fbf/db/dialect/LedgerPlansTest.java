package dev.fbf.db.dialect;

import static dev.fbf.db.dialect.TestDialect.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Plans;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LedgerPlansTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private Connection connection;

    static Stream<Plans.Statements> statements() {
        String entering = TestDialect.POSTGRES.entering() + ", bounded AS (SELECT " + CounterSql.SET_LOCK_TIMEOUT + ")";
        return Stream.of(
                counters -> counters.sql().addingTogether(entering, "bounded").one(),
                counters -> counters.sql().addingTogether(entering, "bounded").many());
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

    static List<String> lookUps() {
        return List.of(PostgresLedger.CONTAINS, PostgresLedger.FIND_WITH_RESPONSE.plain());
    }

    @ParameterizedTest
    @MethodSource("lookUps")
    void operationsAreLookedUpThoughTheLedgerWasEmptiedAndMayFillAgain(String statement) throws SQLException {
        FbfDatabase.enterExpired(connection, 5_000);
        ROWS.purge(database.connect(), 0, 1_000);
        FbfDatabase.execute(connection, "VACUUM ANALYZE fbf_ledger");

        assertThat(Plans.of(connection, FbfDatabase.TABLES.sql(statement)))
                .anyMatch(step -> step.contains("using fbf_ledger_pkey"))
                .noneMatch(step -> step.matches(".*Seq Scan on fbf_(ledger|response).*"));
    }

    @ParameterizedTest
    @MethodSource("statements")
    void groupIsEnteredByTheUniqueKeyAloneAndNoPlanReadsTheLedger(Plans.Statements sql) throws SQLException {
        List<String> plan = Plans.of(connection, sql.on(FbfDatabase.COUNTERS));

        assertThat(plan)
                .anyMatch(step -> step.contains("Insert on fbf_ledger"))
                .noneMatch(step -> step.matches(".*Scan.* fbf_ledger.*"));
    }

    @ParameterizedTest
    @MethodSource("purging")
    void thePurgeReadsItsPagesAlone(String statement) throws SQLException {
        assertThat(Plans.of(connection, FbfDatabase.TABLES.sql(statement)))
                .anyMatch(step -> step.contains("Tid Range Scan on fbf_ledger"))
                .noneMatch(step -> step.contains("Seq Scan on fbf_ledger"));
    }

    static String[] purging() {
        return new String[] {ROWS.look, ROWS.purge};
    }
}
