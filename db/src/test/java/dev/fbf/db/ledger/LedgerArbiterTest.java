package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Arbiter.Applied;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Response;
import dev.fbf.db.StrangeConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(20)
class LedgerArbiterTest {

    private static final OperationId ID = OperationId.of("scope", "", "key");
    private static final OperationId OTHER = OperationId.of("scope", "", "other");
    private static final Response RESPONSE = new Response(ID.toUuid(), 204, "", Response.Ending.RETURNED, new byte[0]);
    private static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final AtomicInteger lookups = new AtomicInteger();

    /** More than it deletes in one transaction. */
    @Test
    void purgesAllOperationsThatHaveExpiredAndNoOther() throws SQLException {
        FbfDatabase.enterExpired(database.connect(), 1_500);
        FbfDatabase.enterKept(database.connect(), 1);
        try (LedgerArbiter arbiter = open(0)) {
            arbiter.purge();
            arbiter.purge(); // finds out that no other node purges
            arbiter.purge();
        }

        assertThat(query(
                        database.connect(),
                        "SELECT count(*) FILTER (WHERE retention = 3600) || '/' || count(*) FROM fbf_ledger"))
                .isEqualTo("1/1");
    }

    @Test
    void noConnectionInTheBackgroundWaitsForASilentServerForEver() throws SQLException {
        Set<String> unlimited = ConcurrentHashMap.newKeySet();
        AtomicInteger statements = new AtomicInteger();
        try (LedgerArbiter arbiter = open(
                1 << 20,
                () -> StrangeConnections.noting(database.connect(), (sql, connection) -> {
                    statements.incrementAndGet();
                    if (connection.getNetworkTimeout() == 0) {
                        unlimited.add(sql);
                    }
                }))) {
            arbiter.purge();
            arbiter.purge();
            arbiter.awaitRecovered(LONG);
            assertThat(arbiter.wasApplied(ID, LONG)).isFalse();
            requireNonNull(arbiter.responses(LONG)).accept(RESPONSE);
        }

        assertThat(statements).hasValueGreaterThan(8);
        assertThat(unlimited).isEmpty();
    }

    /** It is trusted in the background, from the first row that is found there. */
    @Test
    void findsARowOnceItsServerIsTrusted() throws SQLException {
        apply();
        try (LedgerArbiter arbiter = open(0)) {
            assertThat(arbiter.hasRecorded(ID)).isFalse();

            while (!arbiter.hasRecorded(ID) && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }

            assertThat(arbiter.find(ID)).isEqualTo(new Applied(42L, null, false));
        }
    }

    @Test
    void waitsForTheResponseThatAnotherNodeWritesALittleLater() throws SQLException {
        apply();
        try (LedgerArbiter arbiter = open(1 << 20)) {
            arbiter.awaitRecovered(LONG);
            Applied applied = arbiter.find(ID);
            assertThat(applied).isEqualTo(new Applied(42L, null, true));

            assertThat(arbiter.response(ID, applied)).isEqualTo(RESPONSE);

            assertThat(arbiter.response(ID, arbiter.find(ID))).isEqualTo(RESPONSE);
            assertThat(lookups).hasValue(4);
        }
    }

    @Test
    void asksTheLedgerForNoResponseThatIsInMemoryOrNotKept() {
        try (LedgerArbiter arbiter = open(1 << 20);
                LedgerArbiter without = open(0)) {
            requireNonNull(arbiter.responses(LONG)).accept(RESPONSE);

            assertThat(arbiter.response(ID, null)).isEqualTo(RESPONSE);
            assertThat(arbiter.response(OTHER, new Applied(null, Response.notKept(OTHER.toUuid()), false)))
                    .isNull();
            assertThat(without.response(ID, null)).isNull();
            assertThat(without.responses(LONG)).isNull();
            assertThat(lookups).hasValue(0);
            assertThat(arbiter.response(OTHER, null)).as("not applied").isNull();
        }
    }

    @Test
    void anOperationIsInDoubtUntilItsTransactionEndsOfWhichListenersAreTold() throws SQLException {
        Connection open = database.begin();
        LEDGER.insert(open, ID.toUuid(), 42L, LONG);
        List<Duration> settled = new ArrayList<>();
        AtomicInteger polls = new AtomicInteger();
        try (LedgerArbiter arbiter = open(0, () -> {
            if (polls.incrementAndGet() == 4) {
                open.commit();
            }
            return database.connect();
        })) {
            arbiter.onSettled(took -> {
                throw new IllegalStateException("mine");
            });
            arbiter.onSettled(settled::add);
            assertThat(arbiter.awaitSettled(OTHER, LONG)).isNull();
            assertThat(arbiter.awaitSettled(ID, Duration.ofMillis(10))).isEqualTo(Refusal.IN_DOUBT);
            assertThat(settled).hasSize(1);

            assertThat(arbiter.awaitSettled(ID, LONG)).isEqualTo(Refusal.APPLIED);

            assertThat(settled).hasSize(2);
            assertThat(polls).hasValue(4);
        }
    }

    @Test
    void anOperationStaysInDoubtOnceItIsClosed() {
        LedgerArbiter arbiter = open(0);
        arbiter.close();

        assertThat(arbiter.awaitSettled(ID, LONG)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(arbiter.wasApplied(ID, LONG)).isFalse();
    }

    private static void apply() throws SQLException {
        Connection connection = database.begin();
        LEDGER.insert(connection, ID.toUuid(), 42L, LONG);
        connection.commit();
    }

    private LedgerArbiter open(long maxResponseBytes) {
        return open(maxResponseBytes, database::connect);
    }

    private LedgerArbiter open(long maxResponseBytes, Callable<Connection> connections) {
        return new LedgerArbiter(
                StrangeConnections.dataSource(connections), FbfDatabase.TABLES, new Lookup(), maxResponseBytes);
    }

    /** Has the response written before the third question. */
    private final class Lookup implements Arbiter.Lookup {

        @Override
        public <T> @Nullable T ask(Arbiter.Question<T> question) {
            try {
                if (lookups.incrementAndGet() == 3) {
                    new ResponseTable(FbfDatabase.TABLES)
                            .insert(database.connect(), List.of(ResponseTable.Entry.of(RESPONSE, LONG)));
                }
                return question.ask(database.connect());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
