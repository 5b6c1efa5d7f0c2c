package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A ledger of some 480 pages, which are two segments; the first 220 have expired rows alone. */
class LedgerPurgeTest {

    private static final int EXPIRED = 30_000;
    private static final int KEPT = 36_000;

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final AtomicInteger looks = new AtomicInteger();

    private LedgerPurge purge;
    private Connection connection;

    @BeforeEach
    void enter() throws SQLException {
        purge = node();
        connection = StrangeConnections.noting(database.connect(), (sql, its) -> {
            if (sql.contains("min(retention)")) {
                looks.incrementAndGet();
            }
        });
        execute(connection, "TRUNCATE fbf_ledger, fbf_horizon CASCADE");
        FbfDatabase.enterExpired(connection, EXPIRED);
        FbfDatabase.enterKept(connection, KEPT);
        round(purge);
        round(purge); // finds out that no other node purges
        looks.set(0);
    }

    private static LedgerPurge node() {
        return new LedgerPurge(new LedgerHorizon(FbfDatabase.TABLES), Duration.ofSeconds(10), System::nanoTime, ROWS);
    }

    private int round(LedgerPurge node) throws SQLException {
        return node.round(connection, () -> false);
    }

    private int looksIn(int rounds) throws SQLException {
        looks.set(0);
        for (int i = 0; i < rounds; i++) {
            round(purge);
        }
        return looks.get();
    }

    @Test
    void theFirstPassPurgesAllThatHasExpired() throws SQLException {
        assertThat(round(purge)).isEqualTo(EXPIRED);
        assertThat(query(connection, "SELECT count(*) FROM fbf_ledger")).isEqualTo(String.valueOf(KEPT));
    }

    /** Ten minutes are 60 rounds. */
    @Test
    void pagesWhoseRowsHaveLongRetentionsAreReadMoreRarelyUntilOnceInTenMinutes() throws SQLException {
        round(purge);

        assertThat(looksIn(63)).isEqualTo(6 + 5);
        assertThat(looksIn(120)).isEqualTo(2 * 2);
    }

    @Test
    void pagesThatHaveARowWithAShortRetentionAreReadFourTimesWithinIt() throws SQLException {
        execute(
                connection,
                "UPDATE fbf_ledger SET transaction_id = pg_current_xact_id(), retention = 120 WHERE ctid < '(1,0)'");
        round(purge);

        assertThat(looksIn(31)).isEqualTo(5 + 10);
    }

    @Test
    void oneNodePurgesAndAnotherWhenThatHasStopped() throws SQLException {
        LedgerPurge other = node();
        assertThat(round(other)).isZero();
        assertThat(round(purge)).isEqualTo(EXPIRED);
        FbfDatabase.enterExpired(connection, 10);
        assertThat(round(other)).isZero();
        assertThat(round(other)).isZero();

        assertThat(round(other)).isEqualTo(10);
    }

    @Test
    void endsIfItIsToStop() throws SQLException {
        assertThat(purge.round(connection, () -> true)).isZero();
        assertThat(looks).hasValue(0);
    }

    @Test
    void anEmptyTableHasNothingToPurge() throws SQLException {
        execute(connection, "TRUNCATE fbf_ledger CASCADE");

        assertThat(round(purge)).isZero();
    }
}
