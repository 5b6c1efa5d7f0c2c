package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A ledger of some 480 pages; the first 220 have expired rows alone. */
class LedgerPurgeTest {

    private static final int EXPIRED = 30_000;
    private static final int KEPT = 36_000;

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final AtomicInteger samples = new AtomicInteger();
    private final AtomicInteger deletes = new AtomicInteger();
    private long nanos = TimeUnit.DAYS.toNanos(1);
    private Delete onDelete = () -> {};

    private LedgerPurge purge;
    private Connection connection;

    /** Before some rows are deleted. */
    private interface Delete {
        void begin() throws SQLException;
    }

    @BeforeEach
    void enter() throws SQLException {
        purge = node();
        connection = StrangeConnections.noting(database.connect(), (sql, its) -> {
            if (sql.contains("SKIP LOCKED")) {
                deletes.incrementAndGet();
                onDelete.begin();
            } else if (sql.startsWith("LOCK")) {
                samples.incrementAndGet();
            }
        });
        execute(connection, "TRUNCATE fbf_ledger, fbf_horizon CASCADE");
        FbfDatabase.enterExpired(connection, EXPIRED);
        FbfDatabase.enterKept(connection, KEPT);
        round(purge);
        round(purge); // finds out that no other node purges
        samples.set(0);
    }

    private LedgerPurge node() {
        return new LedgerPurge(
                new LedgerHorizon(TestDialect.TABLES),
                () -> nanos,
                new ExpiringRows(TestDialect.TABLES, PostgresLedger.NAME));
    }

    private int round(LedgerPurge node) throws SQLException {
        return node.round(connection, () -> false);
    }

    /** 2,000 rows in a transaction. */
    @Test
    void aRoundPurgesAllThatHasExpiredInASmallTable() throws SQLException {
        assertThat(round(purge)).isEqualTo(EXPIRED);
        assertThat(deletes).hasValue(15 + 1 + 1);
        assertThat(samples).hasValue(1);
        assertThat(query(connection, "SELECT count(*) FROM fbf_ledger")).isEqualTo(String.valueOf(KEPT));
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
    void aRoundThatTakesLongEndsOnceAnotherNodeHasTakenOver() throws SQLException {
        LedgerPurge other = node();
        Connection its = database.connect();
        onDelete = () -> {
            nanos += TimeUnit.SECONDS.toNanos(6);
            for (int i = 0; i < 3; i++) {
                other.round(its, () -> true);
            }
        };

        assertThat(round(purge)).isEqualTo(EXPIRED);

        assertThat(deletes).as("none of the second 256 pages").hasValue(15 + 1);
    }

    /** Only the size is that of such a table. */
    @Test
    void aLargeTableIsReadInTwentyRounds() throws SQLException {
        execute(connection, """
                CREATE SCHEMA large;
                CREATE FUNCTION large.pg_relation_size(regclass) RETURNS bigint LANGUAGE sql AS 'SELECT 120 * 256 * 8192::bigint';
                SET search_path = large, pg_catalog""");
        assertThat(round(purge)).isEqualTo(EXPIRED);
        assertThat(deletes).hasValue(15 + 6);

        for (int i = 0; i < 19; i++) {
            assertThat(round(purge)).isZero();
        }

        assertThat(deletes).hasValue(15 + 120);
        FbfDatabase.enterExpired(database.connect(), 10);
        assertThat(round(purge)).as("begins anew").isEqualTo(10);
    }

    @Test
    void endsIfItIsToStop() throws SQLException {
        assertThat(purge.round(connection, () -> true)).isZero();
        assertThat(deletes).hasValue(0);
    }
}
