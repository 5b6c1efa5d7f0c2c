package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertInProgress;
import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two nodes with a ledger between them. */
@ExtendWith(PostgresExtension.class)
@Timeout(20)
class LedgerModeTest {

    /** Longer than a look into the ledger takes on a busy machine; no test waits for its end. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @TempDir
    private static Path directory;

    private static FragileDataSource fragile;
    private static CountingApp app;
    private static CountingApp otherApp;

    private CountedTable counted;
    private JdbcClient jdbc;
    private Counter counter;
    private Counter other;

    @BeforeAll
    static void start(DataSource dataSource) {
        fragile = new FragileDataSource(dataSource);
        app = start("one", fragile, TIMEOUT);
        otherApp = start("other", dataSource, TIMEOUT);
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
        counter = app.counter;
        other = otherApp.counter;
    }

    @AfterAll
    static void stop() {
        app.close();
        otherApp.close();
    }

    @Test
    void whileTheLedgerCannotBeAskedARetryOfSqlOnlyIsNotAnswered() {
        other.count("a");

        assertUnavailable(() -> counter.runInSqlOnly("a", () -> {
            try {
                JdbcClient.create(fragile).sql("UPDATE counted SET value = 7").update();
            } finally {
                fragile.cutOff();
            }
        }));
        fragile.reconnect();

        assertThat(counter.countInSqlOnly("a")).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void anOperationThatTheFilterIsMistakenAboutIsApplied() {
        // in the filter, and not in the ledger: that is what a false positive looks like
        OperationSettings settings = app.bean(Declarations.class).all().get(0);
        ((Claim) ((SqlOperationGuard) app.bean(OperationGuards.class).of(settings))
                        .admit(
                                new Operation(OperationId.of("counter", CallerOfTheTest.current(), "a"), "a", null),
                                true))
                .applied();

        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aStormOfRetriesWaitsForNoLockAndTakesNone(DataSource dataSource) throws SQLException {
        counter.count("a");
        try (Connection holder = dataSource.getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("LOCK TABLE counted, fbf_ledger IN ROW SHARE MODE");
            statement.execute("SELECT * FROM counted FOR UPDATE");
            for (int i = 0; i < 50; i++) {
                assertThat(counter.count("a")).isEqualTo("counted before: a");
                assertThat(other.count("a")).isEqualTo("counted before: a");
            }
            holder.rollback();
        }

        // a row lock would have left its transaction's id
        assertThat(jdbc.sql("SELECT xmax::text FROM fbf_ledger")
                        .query(String.class)
                        .list())
                .isEqualTo(List.of("0"));
    }

    @ParameterizedTest
    @CsvSource({"true, counted before: a", "false, counted"})
    void aTransactionThatIsStillOpenIsNotJudgedBeforeItEnds(boolean commits, String truth) {
        try (CountingApp impatient = start("impatient", fragile, Duration.ofMillis(200))) {
            fragile.breakNextCommit(FragileDataSource.Fate.STUCK);
            assertUnavailable(() -> impatient.counter.passAnd("a", () -> {}));
            assertInProgress(() -> impatient.counter.count("a"));
        }
        assertInProgress(() -> other.count("a"));

        fragile.endStuck(commits);

        assertThat(other.count("a")).isEqualTo(truth);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowLivesAsLongAsTheWindowOfItsScope(boolean callersTransaction, DataSource dataSource) {
        try (CountingApp patient = CountingApp.start(
                dataSource, directory.resolve("patient"), "fbf.mode=ledger", "fbf.scopes.counter.retry-window=2h")) {
            if (callersTransaction) {
                patient.transaction.executeWithoutResult(transaction -> patient.counter.count("a"));
            } else {
                patient.counter.count("a");
            }
        }

        assertThat(jdbc.sql("SELECT retention / 3600 FROM fbf_ledger")
                        .query(Integer.class)
                        .single())
                .isEqualTo(2);
    }

    private static CountingApp start(String node, DataSource dataSource, Duration settleTimeout) {
        return CountingApp.start(
                dataSource, directory.resolve(node), "fbf.mode=ledger", "test.settle-timeout=" + settleTimeout);
    }
}
