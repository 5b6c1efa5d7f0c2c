package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.group.GroupCommitContract.told;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Arbiter.Applied;
import dev.fbf.db.Counters;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Recovery;
import dev.fbf.db.Response;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.group.GroupCommitContract.Outcome;
import dev.fbf.db.group.TestClaims;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class LedgerArbiterTest {

    private static final OperationId ID = OperationId.of("scope", "", "key");
    private static final OperationId OTHER = OperationId.of("scope", "", "other");
    private static final Response RESPONSE = new Response(ID.toUuid(), 204, "", Response.Ending.RETURNED, new byte[0]);
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final List<String> THREADS = List.of("fbf-ledger", "fbf-purge", "fbf-responses", "fbf-trust");

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    private final AtomicInteger lookups = new AtomicInteger();

    @Test
    void hasNothingToRecover() {
        try (LedgerArbiter arbiter = open(0)) {
            assertThat(arbiter.isReady()).isTrue();
            assertThat(arbiter.recovery()).isEqualTo(Recovery.NONE);
            assertThat(arbiter.inDoubt()).isEmpty();
        }
    }

    @Test
    void findsOutThatATableThatItUsesIsNotThere() throws SQLException {
        Connection connection = database.begin();
        try (LedgerArbiter arbiter = open(1 << 20);
                LedgerArbiter without = open(0)) {
            arbiter.check(connection);
            execute(connection, "DROP TABLE fbf_response");
            without.check(connection);
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> arbiter.check(connection));
            connection.rollback();
            execute(connection, "DROP TABLE fbf_ledger");
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> without.check(connection));
        }
    }

    @Test
    void appliesInGroupsUntilItIsClosed() throws SQLException {
        LedgerArbiter arbiter = open(0);
        Counters counters = arbiter.counters(database.connect(), null, LONG);
        assertThat(told(counters.apply(claims.increment("home", 2).claim(), null, "home", 2, LONG)))
                .isEqualTo(new Outcome.Applied(2));

        arbiter.close();

        assertThat(told(counters.apply(claims.increment("home", 1).claim(), null, "home", 1, LONG)))
                .isEqualTo(new Outcome.Refused(Refusal.STOPPED));
    }

    @Test
    void itsThreadsEndWithItAndKeepNoProcessAlive() {
        await(() -> threads().isEmpty()); // those of other tests
        LedgerArbiter arbiter = open(1 << 20);
        arbiter.start();
        arbiter.awaitRecovered(LONG);
        arbiter.wasApplied(ID, LONG);
        assertThat(threads())
                .allMatch(Thread::isDaemon)
                .extracting(Thread::getName)
                .containsExactlyInAnyOrderElementsOf(THREADS);

        arbiter.close();

        await(() -> threads().isEmpty());
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> THREADS.contains(thread.getName()))
                .toList();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

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

            await(() -> arbiter.hasRecorded(ID));

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
    void countsTheResponsesForWhichThereIsNoRoom() {
        try (LedgerArbiter arbiter = open(1);
                LedgerArbiter without = open(0)) {
            requireNonNull(arbiter.responses(LONG)).accept(RESPONSE);

            assertThat(arbiter.droppedResponses()).isOne();
            assertThat(without.droppedResponses()).isZero();
        }
    }

    @Test
    void whoIsInterruptedWaitsForNothingAndStaysInterrupted() {
        try (LedgerArbiter silent = open(0, LedgerArbiterTest::silence)) {
            assertStaysInterrupted(() -> silent.awaitRecovered(LONG));
            assertStaysInterrupted(() -> assertThat(silent.wasApplied(ID, LONG)).isFalse());
            assertStaysInterrupted(
                    () -> assertThat(silent.awaitSettled(ID, LONG)).isEqualTo(Refusal.IN_DOUBT));
        }
    }

    private static void assertStaysInterrupted(Runnable call) {
        Thread.currentThread().interrupt();
        call.run();
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Waits for a connection to a server that never responds. */
    private static Connection silence() throws Exception {
        return new CompletableFuture<Connection>().get();
    }

    /** Of a server that becomes silent after so many responses. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100})
    void asksForAnOpenTransactionFiftyTimesPerSecondAtMostAndNotAfterTheTimeout(int responses) throws SQLException {
        LEDGER.insert(database.begin(), ID.toUuid(), 42L, LONG);
        Connection connection = StrangeConnections.pooled(database.connect());
        AtomicInteger polls = new AtomicInteger();
        try (LedgerArbiter arbiter = open(0, () -> polls.incrementAndGet() <= responses ? connection : silence())) {
            assertThat(arbiter.awaitSettled(ID, Duration.ofMillis(100))).isEqualTo(Refusal.IN_DOUBT);
        }
        assertThat(polls).hasValueLessThanOrEqualTo(5);
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

            assertThat(settled).hasSize(2).allMatch(took -> !took.isNegative() && took.compareTo(LONG) < 0);
            assertThat(polls).hasValue(4);
        }
    }

    @Test
    void anOperationStaysInDoubtOnceItIsClosed() {
        LedgerArbiter arbiter = open(0);
        arbiter.close();

        assertThat(arbiter.awaitSettled(ID, LONG)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(arbiter.awaitSettled(claims.increment("home", 1), LONG)).isEqualTo(Refusal.IN_DOUBT);
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
