package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static dev.fbf.db.ledger.TestLedger.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.SetClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LedgerHorizonTest {

    private static final Duration WINDOW = Duration.ofHours(1);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final LedgerHorizon horizon = new LedgerHorizon(FbfDatabase.TABLES, () -> this.clock.nanoTime());
    private final UUID operation = UUID.randomUUID();

    private SetClock clock;
    private Connection purger;
    private Connection transaction;

    @BeforeAll
    static void setClock() throws SQLException {
        SetClock.install(database.connect());
    }

    @BeforeEach
    void connect() throws SQLException {
        clock = SetClock.of(database.connect());
        purger = database.connect();
        execute(purger, "TRUNCATE fbf_horizon");
        transaction = database.begin();
    }

    @Test
    void anOperationWhoseTransactionTookLongerThanTheWindowIsKeptForAWindowFromItsCommit() throws SQLException {
        enterTwoHoursAgo();
        horizon.advance(purger);
        horizon.advance(purger);
        transaction.commit();
        horizon.advance(purger);

        assertThat(purge()).isZero();
        letPass("PT59M");
        assertThat(purge()).isZero();
        letPass("PT2M");
        assertThat(purge()).isEqualTo(1);
    }

    @Test
    void anotherNodeThatSawNothingOfTheTransactionKeepsItToo() throws SQLException {
        enterTwoHoursAgo();
        transaction.commit();
        LedgerHorizon other = new LedgerHorizon(FbfDatabase.TABLES, clock::nanoTime);
        other.advance(purger);
        other.advance(purger);

        assertThat(recordsBehindTheOperation()).isEqualTo("1");
        assertThat(ROWS.purge(purger, 0, 10)).isZero();
    }

    @Test
    void theHorizonStopsBeforeAnOpenTransaction() throws SQLException {
        advance();
        enter(operation);
        advance();
        advance();
        assertThat(recordsBehindTheOperation()).isEqualTo("0");

        transaction.commit();
        advance();

        assertThat(recordsBehindTheOperation()).isEqualTo("1");
    }

    @Test
    void theHorizonPassesTransactionsThatHaveEndedWhileOthersAreOpen() throws SQLException {
        advance();
        enter(operation);
        transaction.commit();
        advance();
        advance();
        enter(UUID.randomUUID());
        advance();

        assertThat(recordsBehindTheOperation()).isEqualTo("1");
        letPass("PT61M");
        assertThat(purge()).isEqualTo(1);
    }

    @Test
    void aTransactionThatIsPreparedIsAsOldAsBefore() throws SQLException {
        advance();
        enter(operation);
        advance();
        execute(transaction, "PREPARE TRANSACTION 'late'");
        advance();
        advance();

        execute(database.connect(), "COMMIT PREPARED 'late'");
        assertThat(recordsBehindTheOperation()).isEqualTo("0");
        advance();
        assertThat(recordsBehindTheOperation()).isEqualTo("1");
    }

    @Test
    void aNodeKeepsTheTimeUntilAnotherHasMadeTwoRoundsWithoutIt() throws SQLException {
        LedgerHorizon other = new LedgerHorizon(FbfDatabase.TABLES, clock::nanoTime);
        advance(horizon);
        advance(other);

        for (int i = 0; i < 3; i++) {
            assertThat(advance(horizon)).isTrue();
            assertThat(advance(other)).isFalse();
            assertThat(advance(other)).as("its round passes the keeper's").isFalse();
        }
        assertThat(advance(other)).isTrue();
        assertThat(advance(horizon)).isFalse();
    }

    @Test
    void theTimeThatPassesUntilAnotherNodeKeepsItCounts() throws SQLException {
        enter(operation);
        transaction.commit();
        advance();
        advance();
        LedgerHorizon other = new LedgerHorizon(FbfDatabase.TABLES, clock::nanoTime);
        other.advance(purger);
        letPass("PT59M");
        other.advance(purger);
        letPass("PT2M");
        other.advance(purger);

        assertThat(ROWS.purge(purger, 0, 10)).isEqualTo(1);
    }

    @Test
    void recordsGetSparserWithTheirAge() throws SQLException {
        execute(
                purger,
                "INSERT INTO fbf_horizon SELECT now() - age * interval '10 seconds', now() - age * interval '10 seconds'"
                        + " FROM generate_series(1, 20000) AS age");
        for (int i = 0; i < 20; i++) {
            horizon.advance(purger);
        }

        assertThat(Integer.parseInt(query(purger, "SELECT count(*) FROM fbf_horizon")))
                .isBetween(60, 400);
        assertThat(
                        query(
                                purger,
                                "SELECT bool_and(later - ended_by < greatest(interval '21 seconds', (now() - ended_by) / 15)) FROM"
                                        + " (SELECT ended_by, lead(ended_by) OVER (ORDER BY ended_by) AS later FROM fbf_horizon) AS record"))
                .isEqualTo("t");
    }

    private void enter(UUID id) throws SQLException {
        LEDGER.insert(transaction, id, null, WINDOW);
    }

    /** By a transaction that has been open since then. */
    private void enterTwoHoursAgo() throws SQLException {
        enter(operation);
        execute(transaction, "UPDATE fbf_ledger SET entered_at = entered_at - interval '2 hours'");
    }

    private String recordsBehindTheOperation() throws SQLException {
        return query(
                purger,
                "SELECT count(*) FROM fbf_horizon WHERE entered_before > coalesce((SELECT entered_at FROM fbf_ledger"
                        + " WHERE operation = '" + operation + "'), (SELECT min(entered_before) FROM fbf_horizon"
                        + " WHERE entered_before > '-infinity'))");
    }

    private void letPass(String time) throws SQLException {
        clock.pass(Duration.parse(time));
    }

    private void advance() throws SQLException {
        advance(horizon);
    }

    private boolean advance(LedgerHorizon node) throws SQLException {
        letPass("PT10S");
        return node.advance(purger);
    }

    private int purge() throws SQLException {
        horizon.advance(purger);
        return ROWS.purge(purger, 0, 10);
    }
}
