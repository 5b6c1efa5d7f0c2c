package dev.fbf.db.witness;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.witness.WitnessTable.NO_TOKEN;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.dialect.CounterTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tx} is the transaction in doubt; whoever settles it has a connection of its own. */
@Timeout(60)
class WitnessTableTest {

    private static final CounterTable COUNTERS = FbfDatabase.COUNTERS;

    private static final int SLOTS = 5;
    private static final int SLOT = 3;
    private static final long PREVIOUS = 41;
    private static final long NEXT = 42;
    private static final long FENCE = ~NEXT;
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final WitnessTable witness = new WitnessTable(FbfDatabase.TABLES, UUID.randomUUID());
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    private Connection tx;

    @BeforeEach
    void connect() throws SQLException {
        witness.prepare(database.connect(), SLOTS);
        tx = database.begin();
    }

    @AfterEach
    void stop() {
        other.shutdownNow();
    }

    @Test
    void eachSlotHasARowFromTheStartAndKeepsItsTokenWhenOthersAreMissing() throws SQLException {
        assertThat(witness.tokens(tx)).hasSize(SLOTS).containsEntry(SLOT, NO_TOKEN);
        witness.turn(tx, SLOT, NO_TOKEN, 1, false);
        tx.commit();
        execute(tx, "DELETE FROM fbf_witness WHERE slot = 0");
        tx.commit();

        Map<Integer, Long> tokens = witness.prepare(database.connect(), SLOTS + 2);

        assertThat(tokens).hasSize(SLOTS + 2).containsEntry(SLOT, 1L).containsEntry(0, NO_TOKEN);
    }

    @Test
    void aTurnNeedsThePreviousToken() throws SQLException {
        assertMismatch(tx, SLOT, 1, 2);
        witness.turn(tx, SLOT, NO_TOKEN, 1, false);

        witness.turn(tx, SLOT, 1, 2, false);
        assertMismatch(tx, SLOT, 1, 3);
        witness.turn(tx, SLOT, 2, Long.MIN_VALUE, false);

        assertThat(witness.tokens(tx)).containsEntry(SLOT, Long.MIN_VALUE);
    }

    @ParameterizedTest
    @ValueSource(longs = {NO_TOKEN, PREVIOUS})
    void fencesATransactionThatDidNotCommit(long previous) throws SQLException {
        begunWith(previous);
        witness.turn(tx, SLOT, previous, NEXT, false);
        tx.rollback();

        assertThat(settle(previous, SHORT)).isEqualTo(FENCE);
        assertThat(settle(previous, SHORT))
                .as("again, as after an interruption")
                .isEqualTo(FENCE);
        assertThat(witness.tokens(tx)).containsEntry(SLOT, FENCE);
    }

    @ParameterizedTest
    @CsvSource({"0, read committed", "41, read committed", "0, repeatable read", "41, repeatable read"})
    void aTurnThatArrivesAfterTheFenceFails(long previous, String isolation) throws SQLException {
        begunWith(previous);
        Connection late = database.connect(isolation);
        late.setAutoCommit(false);
        // the snapshot of REPEATABLE READ is as old as this
        FbfDatabase.value(COUNTERS, late, "views");

        assertThat(settle(previous, SHORT)).isEqualTo(FENCE);

        if (isolation.equals("read committed")) {
            assertMismatch(late, SLOT, previous, NEXT);
        } else {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> witness.turn(late, SLOT, previous, NEXT, false))
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("40001"));
        }
    }

    @Test
    void theSlotGoesOnFromTheFence() throws SQLException {
        begunWith(PREVIOUS);
        long token = requireNonNull(settle(PREVIOUS, SHORT));

        witness.turn(tx, SLOT, token, 77, false);
    }

    @ParameterizedTest
    @ValueSource(longs = {NO_TOKEN, PREVIOUS})
    void doesNotJudgeATransactionThatIsStillOpen(long previous) throws SQLException {
        begunWith(previous);
        witness.turn(tx, SLOT, previous, NEXT, false);

        assertThat(settle(previous, SHORT)).isNull();
        tx.commit();
        assertThat(settle(previous, SHORT)).isEqualTo(NEXT);
    }

    @ParameterizedTest
    @CsvSource({
        "0, read committed",
        "41, read committed",
        "0, repeatable read",
        "41, repeatable read",
        "0, serializable",
        "41, serializable"
    })
    void seesWhatWasCommittedWhileTheFenceWaited(long previous, String isolation) throws Exception {
        begunWith(previous);
        witness.turn(tx, SLOT, previous, NEXT, false);
        Connection settler = database.connect(isolation);

        Future<@Nullable Long> settlement = other.submit(() -> witness.settle(settler, SLOT, previous, NEXT, LONG));
        database.awaitAWaiter();
        tx.commit();

        assertThat(settlement.get()).isEqualTo(NEXT);
    }

    @ParameterizedTest
    @CsvSource({"0, read committed", "41, read committed", "0, repeatable read", "41, repeatable read"})
    void theFenceTakesWhenTheTransactionRollsBackMeanwhile(long previous, String isolation) throws Exception {
        begunWith(previous);
        witness.turn(tx, SLOT, previous, NEXT, false);
        Connection settler = database.connect(isolation);

        Future<@Nullable Long> settlement = other.submit(() -> witness.settle(settler, SLOT, previous, NEXT, LONG));
        database.awaitAWaiter();
        tx.rollback();

        assertThat(settlement.get()).isEqualTo(FENCE);
    }

    @ParameterizedTest
    @ValueSource(longs = {NO_TOKEN, PREVIOUS})
    void aTurnWaitsForAFenceAndThenFails(long previous) throws Exception {
        begunWith(previous);
        Connection settler = database.begin();
        // the fence, held open
        witness.turn(settler, SLOT, previous, FENCE, false);

        Future<?> turn = other.submit(() -> assertMismatch(tx, SLOT, previous, NEXT));
        database.awaitAWaiter();
        settler.commit();

        turn.get();
    }

    @Test
    void aLateCommitOfALostConnectionFails() throws SQLException {
        begunWith(PREVIOUS);
        witness.turn(tx, SLOT, PREVIOUS, NEXT, false);
        database.lose(tx);

        assertThat(settle(PREVIOUS, LONG)).isEqualTo(FENCE);

        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> tx.commit());
        assertThat(witness.tokens(database.connect())).containsEntry(SLOT, FENCE);
    }

    @ParameterizedTest
    @ValueSource(longs = {NO_TOKEN, PREVIOUS})
    void saysWhichTokenItDoesNotKnow(long previous) throws SQLException {
        begunWith(77);

        assertThat(settle(previous, SHORT)).isEqualTo(77);
        assertThat(witness.tokens(tx)).containsEntry(SLOT, 77L);
    }

    @Test
    void doesNotKnowWhereTheRowIsGone() throws SQLException {
        assertThat(settle(PREVIOUS, SHORT)).isEqualTo(NO_TOKEN);
        assertThat(witness.tokens(tx)).containsEntry(SLOT, NO_TOKEN);
    }

    @Test
    void settlesThoughTransactionsAreReadOnlyByDefault() throws SQLException {
        begunWith(PREVIOUS);
        Connection settler = database.connect();
        execute(settler, "SET default_transaction_read_only = on");
        settler.setReadOnly(true);

        assertThat(witness.settle(settler, SLOT, PREVIOUS, NEXT, SHORT)).isEqualTo(FENCE);
    }

    /** Checks that the row is not turned; a savepoint keeps the transaction usable. */
    private void assertMismatch(Connection connection, int slot, long previous, long next) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> {
                    Savepoint before = connection.setSavepoint();
                    try {
                        witness.turn(connection, slot, previous, next, false);
                    } finally {
                        connection.rollback(before);
                    }
                })
                .matches(WitnessTable::isMismatch);
    }

    private @Nullable Long settle(long previous, Duration timeout) throws SQLException {
        return witness.settle(database.connect(), SLOT, previous, NEXT, timeout);
    }

    private void begunWith(long token) throws SQLException {
        if (token != NO_TOKEN) {
            witness.turn(tx, SLOT, NO_TOKEN, token, false);
            tx.commit();
        }
    }
}
