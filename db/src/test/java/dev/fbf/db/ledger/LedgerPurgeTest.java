package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A ledger of some 250 pages, all of which has expired. */
class LedgerPurgeTest {

    private static final int OPERATIONS = 30_000;

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final LedgerPurge purge =
            new LedgerPurge(LEDGER, new LedgerHorizon(FbfDatabase.TABLES), Duration.ofSeconds(10));

    private Connection connection;

    @BeforeEach
    void enter() throws SQLException {
        connection = database.connect();
        execute(connection, "TRUNCATE fbf_ledger CASCADE");
        FbfDatabase.enterExpired(connection, OPERATIONS);
    }

    @Test
    void aRoundPurgesAllIfTheWindowIsShorterThanFourRounds() throws SQLException {
        node("short", "40 seconds");

        assertThat(purge.round(connection, () -> false)).isEqualTo(OPERATIONS);
    }

    @Test
    void withoutNodesTheWindowIsTakenForTenMinutes() throws SQLException {
        purge.round(connection, () -> false);

        assertThat(purge.round(connection, () -> false)).isPositive();
    }

    @Test
    void roundsPurgeAllWithinAQuarterOfTheShortestWindow() throws SQLException {
        node("long", "30 days");
        node("short", "120 seconds");

        int first = purge.round(connection, () -> false);
        int second = purge.round(connection, () -> false);
        int third = purge.round(connection, () -> false);

        assertThat(first).isBetween(OPERATIONS / 4, OPERATIONS / 2);
        assertThat(first + second + third).isEqualTo(OPERATIONS);
    }

    @Test
    void aRoundReads64PagesHoweverLongTheWindow() throws SQLException {
        node("long", "30 days");

        int purged = purge.round(connection, () -> false);

        assertThat(purged).isBetween(6_000, 64 * 160);
    }

    @Test
    void aPageIsReadAgainAfterAllOthers() throws SQLException {
        node("long", "30 days");
        for (int i = 0; i < 4; i++) {
            purge.round(connection, () -> false);
        }

        assertThat(query(connection, "SELECT count(*) FROM fbf_ledger")).isEqualTo("0");
    }

    @Test
    void endsIfItIsToStop() throws SQLException {
        assertThat(purge.round(connection, () -> true)).isZero();
    }

    @Test
    void anEmptyTableHasNothingToPurge() throws SQLException {
        execute(connection, "TRUNCATE fbf_ledger CASCADE");

        assertThat(purge.round(connection, () -> false)).isZero();
    }

    private void node(String scope, String window) throws SQLException {
        execute(
                connection,
                "INSERT INTO fbf_lease VALUES ('" + scope
                        + "', gen_random_uuid(), gen_random_uuid(), 'test', 'ledger', true, gen_random_uuid(), 'test', interval '"
                        + window + "', interval '0', now(), 0)");
    }
}
