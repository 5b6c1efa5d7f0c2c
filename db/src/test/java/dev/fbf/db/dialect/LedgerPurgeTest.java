package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.Connection;
import java.sql.SQLException;
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

    private final AtomicInteger samples = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger deletes = new AtomicInteger();

    private LedgerPurge purge;
    private Connection connection;

    @BeforeEach
    void enter() throws SQLException {
        purge = node();
        connection = StrangeConnections.noting(database.connect(), (sql, its) -> {
            if (sql.contains("count(*) FILTER")) {
                looks.incrementAndGet();
            } else if (sql.contains("SKIP LOCKED")) {
                deletes.incrementAndGet();
            } else if (sql.startsWith("LOCK")) {
                samples.incrementAndGet();
            }
        });
        execute(connection, "TRUNCATE fbf_ledger, fbf_horizon CASCADE");
        FbfDatabase.enterExpired(connection, EXPIRED);
        FbfDatabase.enterKept(connection, KEPT);
        round(purge);
        round(purge); // finds out that no other node purges
        looks.set(0);
        samples.set(0);
    }

    private LedgerPurge node() {
        return new LedgerPurge(
                new LedgerHorizon(TestDialect.TABLES), new ExpiringRows(TestDialect.TABLES, PostgresLedger.NAME));
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

    /** 16 pages in a transaction, and none where nothing has expired. */
    @Test
    void aRoundPurgesAllThatHasExpiredInASmallTable() throws SQLException {
        assertThat(round(purge)).isEqualTo(EXPIRED);
        assertThat(deletes).hasValue(LedgerPurge.PAGES / 16);
        assertThat(samples).hasValue(1);
        assertThat(query(connection, "SELECT count(*) FROM fbf_ledger")).isEqualTo(String.valueOf(KEPT));
    }

    /** Only the size is that of such a table: 400 times the pages that are read at once. */
    private void becomeLarge() throws SQLException {
        execute(connection, """
                CREATE SCHEMA IF NOT EXISTS large;
                CREATE OR REPLACE FUNCTION large.pg_relation_size(regclass) RETURNS bigint LANGUAGE sql
                  AS 'SELECT CAST(400 * 256 * 8192 AS bigint)';
                SET search_path = large, pg_catalog""");
    }

    @Test
    void aPassOverALargeTableTakesTwentyRounds() throws SQLException {
        becomeLarge();

        assertThat(looksIn(1)).isEqualTo(20);
        assertThat(looksIn(19)).isEqualTo(380);
        assertThat(looksIn(1)).as("of the next pass").isEqualTo(20);
    }

    @Test
    void oneNodePurgesAndAnotherWhenThatHasStopped() throws SQLException {
        LedgerPurge other = node();
        assertThat(round(other)).isZero();
        assertThat(round(purge)).isEqualTo(EXPIRED);
        FbfDatabase.enterExpired(connection, 10);
        assertThat(round(other)).isZero();
        assertThat(round(other)).isZero();

        assertThat(round(other) + round(other)).isEqualTo(10);

        assertThat(looksIn(3))
                .as("in the one round in which it purges again, of two parts")
                .isEqualTo(2);
    }

    @Test
    void endsIfItIsToStop() throws SQLException {
        assertThat(purge.round(connection, () -> true)).isZero();
        assertThat(looks).hasValue(0);
    }

    @Test
    void anEmptyTableHasNothingToPurge() throws SQLException {
        round(purge);
        execute(connection, "TRUNCATE fbf_ledger CASCADE");

        assertThat(looksIn(3)).isZero();
    }
}
