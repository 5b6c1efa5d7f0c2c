package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.dialect.TestDialect.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
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
    private long nanos = TimeUnit.DAYS.toNanos(1);
    private Look onLook = () -> {};

    private LedgerPurge purge;
    private Connection connection;

    @BeforeEach
    void enter() throws SQLException {
        purge = node();
        connection = StrangeConnections.noting(database.connect(), (sql, its) -> {
            if (sql.contains("min(retention)")) {
                looks.incrementAndGet();
                onLook.begin();
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

    /** Before some pages are read. */
    private interface Look {
        void begin() throws SQLException;
    }

    private LedgerPurge node() {
        return new LedgerPurge(new LedgerHorizon(TestDialect.TABLES), Duration.ofSeconds(10), () -> nanos, ROWS);
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
    void theFirstPassPurgesAllThatHasExpired() throws SQLException {
        assertThat(round(purge)).isEqualTo(EXPIRED);
        assertThat(deletes).hasValue(LedgerPurge.PAGES / 16);
        assertThat(samples).hasValue(1);
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

        assertThat(looksIn(3)).as("in the first round in which it purges again").isEqualTo(2);
    }

    @Test
    void aRoundThatTakesLongEndsOnceAnotherNodeHasTakenOver() throws SQLException {
        LedgerPurge other = node();
        Connection its = database.connect();
        onLook = () -> {
            nanos += TimeUnit.SECONDS.toNanos(6);
            for (int i = 0; i < 3; i++) {
                other.round(its, () -> true);
            }
        };

        assertThat(round(purge)).isEqualTo(EXPIRED);

        assertThat(looks).hasValue(1);
    }

    /** Only the size is that of such a table. Its first pages have a row with a short retention, and are read in each round. */
    @Test
    void aLargeTableIsReadInSeveralRoundsAndPagesThatAreNewAtOnce() throws SQLException {
        execute(connection, """
                CREATE SCHEMA large;
                CREATE FUNCTION large.pg_relation_size(regclass) RETURNS bigint LANGUAGE sql
                  AS 'SELECT CAST(current_setting(''large.segments'') AS bigint) * 256 * 8192';
                SET search_path = large, pg_catalog;
                SET large.segments = 100""");
        assertThat(looksIn(1)).isEqualTo(64);

        execute(connection, "SET large.segments = 150");

        assertThat(looksIn(1)).isEqualTo(36 + 50 + 1);
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
