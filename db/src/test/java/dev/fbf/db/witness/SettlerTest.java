package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.AfterPowerFailure;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Recovery;
import dev.fbf.db.StrangeConnections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Timeout(20)
class SettlerTest {

    private static final String SCOPE = "scope";
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(Settler.class);
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final String SETTLED =
            "All transactions in doubt in the database database are settled, after [0-9.]+ m?s\\.";

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @TempDir
    private Path directory;

    private Node node;
    private ScopeClaims claims;
    private WitnessedDatabase witnessed;
    private WitnessTable witness;
    private Settler settler;
    private Connection tx;

    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final List<Long> pauses = new CopyOnWriteArrayList<>();
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();
    private volatile boolean down;

    @BeforeEach
    void listenToTheLog() {
        events.list = new CopyOnWriteArrayList<>();
        events.start();
        LOGGER.addAppender(events);
        LOGGER.setLevel(Level.INFO);
        LOGGER.setAdditive(false);
    }

    @AfterEach
    void leaveTheLog() {
        LOGGER.setAdditive(true);
        LOGGER.setLevel(null);
        LOGGER.detachAppender(events);
    }

    @BeforeEach
    void start() throws SQLException {
        open(directory, SCOPE);
        tx = database.begin();
    }

    private void open(Path path, String scope) {
        node = Node.open(path, 2, AfterPowerFailure.WARN);
        claims = node.scope(scope, FilterSizing.DEFAULT.plan());
        witnessed = node.database("database");
        witness = new WitnessTable(FbfDatabase.TABLES, node.id());
        settler = new Settler(StrangeConnections.dataSource(this::connect), witnessed, witness) {
            @Override
            Duration run(boolean early) {
                wakeUps.addAndGet(early ? 1 : 0);
                Duration pause = super.run(early);
                pauses.add(pause.toMillis());
                return pause;
            }
        };
    }

    /** Goes on as the next process does: with the files as they are now, the claims among them. */
    private void dieAndOpen(String scope) throws IOException {
        Path copy = Files.createDirectory(directory.resolve("copy"));
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        stop();
        open(copy, scope);
    }

    private boolean startSettler() {
        settler.start();
        return settler.awaitRecovered(LONG);
    }

    /** With a lock that two sessions share, which no transaction's number tells. */
    private Connection lockRow(WitnessedTransaction transaction) throws SQLException {
        Connection connection = database.begin();
        FbfDatabase.query(
                connection,
                "SELECT token FROM fbf_witness WHERE node = '" + node.id() + "' AND slot = " + transaction.slot()
                        + " FOR SHARE");
        return connection;
    }

    private boolean settlerSleeps() {
        return threads().anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    @AfterEach
    void stop() {
        settler.close();
        node.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void settlesATransactionAsSoonAsItIsInDoubt(boolean committed) throws Exception {
        startSettler();
        WitnessedTransaction transaction = begin("a");
        if (committed) {
            tx.commit();
        } else {
            tx.rollback();
        }

        transaction.inDoubt();

        await(() -> witnessed.inDoubt() == 0);
        await(() -> wakeUps.get() > 0);
        assertThat(transaction.isCommitted()).isEqualTo(committed);
        assertThat(claims.admit(id("a")) == Refusal.APPLIED).isEqualTo(committed);
    }

    @Test
    void aRowThatStaysLockedHoldsUpNoOther() throws Exception {
        startSettler();
        WitnessedTransaction locked = begin("locked");
        tx.rollback();
        Connection one = lockRow(locked);
        Connection other = lockRow(locked);
        locked.inDoubt();
        WitnessedTransaction ended = begin("ended");
        tx.commit();
        ended.inDoubt();

        await(() -> claims.admit(id("ended")) == Refusal.APPLIED);

        assertThat(claims.admit(id("locked"))).isEqualTo(Refusal.IN_DOUBT);
        one.rollback();
        other.rollback();
        await(() -> claims.admit(id("locked")) instanceof Claim);
    }

    @Test
    void endsATransactionInDoubtThatIsStillOpen() throws Exception {
        startSettler();
        WitnessedTransaction open = begin("open");

        open.inDoubt();

        await(() -> witnessed.inDoubt() == 0);
        assertThat(open.isCommitted()).isFalse();
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> tx.commit());
    }

    @Test
    void settlesWhatWasLeftInDoubtBeforeOperationsAreAdmitted() throws Exception {
        startSettler();
        begin("committed");
        tx.commit();
        tx = database.begin();
        begin("open");
        dieAndOpen(SCOPE);

        assertThat(startSettler()).isTrue();

        assertThat(claims.admit(id("committed"))).isEqualTo(Refusal.APPLIED);
        assertThat(claims.admit(id("open"))).isInstanceOf(Claim.class);
        assertThat(settler.recovery())
                .extracting(Recovery::applied, Recovery::notApplied, Recovery::unknown, Recovery::connectionsEnded)
                .containsExactly(1, 1, 0, 1);
        assertThat(settler.recovery().took()).isBetween(Duration.ofNanos(1), LONG);
        await(() -> logged().stream().anyMatch(message -> message.startsWith("Recovered 2 operations ")));
        assertThat(logged())
                .as("how long the transactions that the witness does not know can be in the way")
                .anyMatch(message -> message.matches("Recovered .* hold locks, and delay retries, for up to [1-9].*"));
    }

    /** As with two beans that each open a scope: the settler begins with the first. */
    @Test
    void settlesWhatWasLeftInDoubtInAScopeThatIsOpenedLater() throws Exception {
        startSettler();
        begin("committed");
        tx.commit();
        dieAndOpen("another");
        assertThat(startSettler()).as("nothing of another").isTrue();
        assertThat(settler.recovery()).isEqualTo(Recovery.NONE);
        await(this::settlerSleeps);

        claims = node.scope(SCOPE, FilterSizing.DEFAULT.plan());

        assertThat(settler.awaitRecovered(LONG)).isTrue();
        assertThat(claims.admit(id("committed"))).isEqualTo(Refusal.APPLIED);
        assertThat(settler.recovery().applied()).isEqualTo(1);
    }

    @Test
    void doesNotWaitForADatabaseThatDoesNotAnswer() {
        down = true;

        assertThat(startSettler()).isFalse();

        down = false;
        await(witnessed::isReady);
    }

    @Test
    void aListenerThatThrowsHoldsUpNoTransaction() throws Exception {
        witnessed.onSettled(inDoubt -> {
            throw new IllegalStateException("mine");
        });
        startSettler();
        down = true;
        for (String key : List.of("a", "b")) {
            WitnessedTransaction transaction = begin(key);
            tx.commit();
            transaction.inDoubt();
        }
        rounds.set(0);

        down = false;

        await(() -> witnessed.inDoubt() == 0);
        assertThat(claims.admit(id("a"))).isEqualTo(Refusal.APPLIED);
        assertThat(claims.admit(id("b"))).isEqualTo(Refusal.APPLIED);
        assertThat(rounds).as("both in one").hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlotThatAnOperatorHasDecidedOnIsUsedAgain(boolean applied) throws Exception {
        startSettler();
        WitnessedTransaction transaction = begin("a");
        tx.commit();
        FbfDatabase.execute(tx, "UPDATE fbf_witness SET token = 77 WHERE token <> 0");
        tx.commit();
        transaction.inDoubt();
        awaitUnknown();

        assertThat(transaction.decide(applied)).isTrue();

        await(() -> witnessed.inDoubt() == 0);
        assertThat(claims.admit(id("a")) == Refusal.APPLIED).isEqualTo(applied);
    }

    @Test
    void aSlotWhoseRowHadAnotherTokenGoesOnFromThat() throws Exception {
        startSettler();
        WitnessedTransaction first = begin("a");
        tx.commit();
        first.committed();
        FbfDatabase.execute(tx, "UPDATE fbf_witness SET token = 77 WHERE token <> 0");
        tx.commit();

        WitnessedTransaction mismatched;
        do {
            mismatched = witnessed.transaction((Claim) claims.admit(id("b")));
            if (mismatched.slot() == first.slot()) {
                mismatched.mismatched();
            } else {
                mismatched.rolledBack();
            }
        } while (mismatched.slot() != first.slot());
        await(() -> witnessed.inDoubt() == 0);

        WitnessedTransaction next;
        do {
            next = witnessed.transaction((Claim) claims.admit(id("b")));
            next.rolledBack();
        } while (next.slot() != first.slot());
        assertThat(next.previous()).isEqualTo(77);
    }

    @Test
    void holdsBackWhatWasLeftInDoubtIfTheRowHasAnotherToken() throws Exception {
        startSettler();
        begin("a");
        tx.commit();
        FbfDatabase.execute(tx, "UPDATE fbf_witness SET token = 77 WHERE token <> 0");
        tx.commit();
        dieAndOpen(SCOPE);

        List<String> logged = loggedBy(() -> assertThat(startSettler()).isTrue());

        assertThat(logged)
                .anyMatch(message ->
                        message.startsWith("The directory of this node is older than the database database, or"));
        assertThat(settler.recovery().unknown()).isEqualTo(1);
        assertThat(witnessed.inDoubt()).isZero();
        assertThat(claims.admit(id("a"))).isEqualTo(Refusal.HELD_BACK);
        assertThat(claims.admit(id("b"))).isEqualTo(Refusal.HELD_BACK);
    }

    @Test
    void aRowThatIsMissingIsMadeAgain() throws Exception {
        startSettler();
        FbfDatabase.execute(tx, "TRUNCATE fbf_witness");
        tx.commit();

        witnessed.transaction((Claim) claims.admit(id("a"))).mismatched();
        await(() -> witnessed.inDoubt() == 0);

        assertThat(FbfDatabase.query(database.connect(), "SELECT count(*) FROM fbf_witness"))
                .isEqualTo("2");
        assertThat(claims.lostCommits()).as("another database").isNotNull();
    }

    @Test
    void readsTheTokensOfAllSlotsOnceAndAsksForNothingWhileNothingIsInDoubt() throws Exception {
        List<String> statements = new ArrayList<>();
        Connection connection = StrangeConnections.noting(
                StrangeConnections.pooled(database.connect()), (sql, its) -> statements.add(sql));
        settler = new Settler(StrangeConnections.dataSource(() -> connection), witnessed, witness);
        settler.run(false);
        assertThat(statements).anyMatch(SettlerTest::isOfAllSlots);
        WitnessedTransaction transaction = begin("a");
        tx.commit();
        transaction.inDoubt();
        statements.clear();

        settler.run(true);
        assertThat(transaction.isCommitted()).isTrue();
        assertThat(statements).isNotEmpty().noneMatch(SettlerTest::isOfAllSlots);
        statements.clear();
        settler.run(false);
        assertThat(statements).isEmpty();
    }

    private static boolean isOfAllSlots(String sql) {
        return sql.startsWith("SELECT slot, token ");
    }

    /** The database has lost a commit of this process, within a beat. */
    @Test
    void aSlotWhoseRowHasForgottenACommitShowsThatItIsLost() throws Exception {
        startSettler();
        for (String key : List.of("a", "b")) {
            WitnessedTransaction transaction = begin(key);
            tx.commit();
            transaction.committed();
        }
        FbfDatabase.execute(tx, "UPDATE fbf_witness SET token = 0");
        tx.commit();

        witnessed.transaction((Claim) claims.admit(id("c"))).mismatched();

        await(() -> claims.lostCommits() != null);
        await(() -> witnessed.inDoubt() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leavesTheConnectionsTimeoutAsItWas(boolean fails) throws SQLException {
        Connection connection = database.connect();
        connection.setNetworkTimeout(Runnable::run, 12_345);
        Settler other = new Settler(
                StrangeConnections.dataSource(() -> StrangeConnections.pooled(connection)), witnessed, witness);
        if (fails) {
            FbfDatabase.execute(connection, "ALTER TABLE fbf_witness RENAME TO gone");
        }

        try (other) {
            other.start();
            other.awaitRecovered(LONG);
        } finally {
            FbfDatabase.execute(connection, "ALTER TABLE IF EXISTS gone RENAME TO fbf_witness");
        }

        assertThat(witnessed.isReady()).isEqualTo(!fails);
        assertThat(connection.getNetworkTimeout()).isEqualTo(12_345);
    }

    @Test
    void leavesAloneWhatOnlyAnOperatorCanDecide() throws Exception {
        startSettler();
        WitnessedTransaction transaction = begin("a");
        tx.commit();
        FbfDatabase.execute(tx, "UPDATE fbf_witness SET token = 77 WHERE token <> 0");
        tx.commit();
        transaction.inDoubt();
        awaitUnknown();
        assertThat(pauses).last().as("as if nothing was in doubt").isEqualTo(500L);

        WitnessedTransaction other = begin("b");
        tx.commit();
        other.inDoubt();
        await(() -> claims.admit(id("b")) == Refusal.APPLIED);

        assertThat(claims.admit(id("a"))).isEqualTo(Refusal.IN_DOUBT);
        assertThat(logged()).filteredOn(SettlerTest::isUnknown).hasSize(1);
    }

    @Test
    void logsOnceThatTransactionsAreInDoubtAndOnceThatAllAreSettled() throws Exception {
        startSettler();
        WitnessedTransaction transaction = begin("a");
        tx.commit();

        List<String> logged = loggedBy(() -> {
            down = true;
            transaction.inDoubt();
            await(() -> refusals.get() >= 3);
            down = false;
            await(() -> witnessed.inDoubt() == 0);
        });

        assertThat(logged)
                .satisfiesExactly(
                        first -> assertThat(first)
                                .contains("The database database does not respond", "1 transactions are in doubt"),
                        second -> assertThat(second).matches(SETTLED));
    }

    @Test
    void logsOnceThatARowStaysLockedAndNotThatItHasEndedAConnection() throws Exception {
        startSettler();
        WitnessedTransaction transaction = begin("a");
        tx.rollback();
        Connection one = lockRow(transaction);
        Connection other = lockRow(transaction);

        List<String> logged = loggedBy(() -> {
            rounds.set(0);
            transaction.inDoubt();
            await(() -> rounds.get() >= 3);
            one.rollback();
            other.rollback();
            await(() -> witnessed.inDoubt() == 0);
        });

        assertThat(logged)
                .satisfiesExactly(
                        first -> assertThat(first)
                                .isEqualTo("The database database has transactions that could not be settled yet:"
                                        + " 1 transactions are in doubt."),
                        second -> assertThat(second).matches(SETTLED));
    }

    @Test
    void logsOnceThatConnectionsCannotBeEndedAndThatOneHasBeenEndedAfterAll() throws Exception {
        AtomicBoolean mayEnd = new AtomicBoolean();
        settler = new Settler(
                StrangeConnections.dataSource(() -> StrangeConnections.conflicting(
                        connect(), sql -> !mayEnd.get() && sql.contains("pg_terminate_backend"))),
                witnessed,
                witness);
        startSettler();
        WitnessedTransaction open = begin("open");

        List<String> logged = loggedBy(() -> {
            rounds.set(0);
            open.inDoubt();
            await(() -> rounds.get() >= 3);
            mayEnd.set(true);
            await(() -> witnessed.inDoubt() == 0);
        });

        assertThat(logged)
                .satisfiesExactly(
                        first -> assertThat(first).contains("connections cannot be ended", "conflict"),
                        second -> assertThat(second).contains("has transactions that could not be settled yet"),
                        third -> assertThat(third).contains("was still open", "its connection has been ended"),
                        fourth -> assertThat(fourth).matches(SETTLED));
    }

    /** What is logged until the settler has ended. */
    private List<String> loggedBy(Work work) throws Exception {
        events.list.clear();
        work.run();
        settler.close();
        await(() -> threads().findAny().isEmpty());
        return logged();
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Stream<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fbf-settle-database"));
    }

    @Test
    void itsThreadKeepsNoProcessAlive() {
        startSettler();

        assertThat(threads())
                .singleElement()
                .satisfies(thread -> assertThat(thread.isDaemon()).isTrue());
    }

    @Test
    void thePausesBetweenItsAttemptsDouble() {
        down = true;
        settler = new Settler(StrangeConnections.dataSource(this::connect), witnessed, witness) {
            @Override
            Duration run(boolean early) {
                pauses.add(super.run(early).toMillis());
                return pauses.size() >= 8 ? Duration.ofHours(1) : Duration.ZERO;
            }
        };
        settler.start();

        await(() -> pauses.size() >= 8);

        assertThat(pauses).containsExactly(10L, 20L, 40L, 80L, 160L, 320L, 500L, 500L);
        assertThat(refusals).hasValue(8);
    }

    @Test
    void whoIsInterruptedWaitsForNoRecoveryAndStaysInterrupted() {
        Thread.currentThread().interrupt();

        assertThat(settler.awaitRecovered(LONG)).isFalse();

        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsForTheRecoveryIsToldWhenItIsClosed(boolean started) throws Exception {
        startSettler();
        WitnessedTransaction transaction = begin("a");
        tx.rollback();
        Connection one = lockRow(transaction);
        Connection other = lockRow(transaction);
        dieAndOpen(SCOPE);
        if (started) {
            settler.start();
        }
        FutureTask<Boolean> recovered = new FutureTask<>(() -> settler.awaitRecovered(Duration.ofHours(1)));
        Thread waiting = new Thread(recovered);
        waiting.start();
        await(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        settler.close();

        assertThat(recovered.get()).isFalse();
        one.rollback();
        other.rollback();
    }

    /** Who holds the row of such a slot is somebody else. */
    @Test
    void endsNoConnectionForASlotThatOnlyLacksItsToken() throws Exception {
        startSettler();
        WitnessedTransaction transaction = begin("a");
        rounds.set(0);

        transaction.mismatched();
        await(() -> rounds.get() >= 3);

        tx.commit();
        await(() -> witnessed.inDoubt() == 0);
    }

    @Test
    void aServerThatIsSilentIsNotWaitedForForever() throws Exception {
        AtomicInteger timeout = new AtomicInteger();
        Connection connection = database.connect();
        Settler other = new Settler(
                StrangeConnections.dataSource(() -> StrangeConnections.answering(
                        StrangeConnections.pooled(connection), () -> timeout.set(connection.getNetworkTimeout()))),
                witnessed,
                witness);

        try (other) {
            other.start();
            other.awaitRecovered(LONG);
        }

        assertThat(timeout).hasPositiveValue();
    }

    private Connection connect() throws SQLException {
        if (down) {
            refusals.incrementAndGet();
            throw new SQLException("no route to host", "08001");
        }
        rounds.incrementAndGet();
        return database.connect();
    }

    /** Begins a transaction with one operation. */
    private WitnessedTransaction begin(String key) throws SQLException {
        WitnessedTransaction transaction = witnessed.transaction((Claim) claims.admit(id(key)));
        witness.turn(tx, transaction.slot(), transaction.previous(), transaction.next(), false);
        return transaction;
    }

    /** Returns when the settler was told of a token that nobody knows, and waits. */
    private void awaitUnknown() {
        await(() -> logged().stream().anyMatch(SettlerTest::isUnknown));
        await(this::settlerSleeps);
    }

    private static boolean isUnknown(String message) {
        return message.startsWith("Outcome unknown for the operations");
    }

    private List<String> logged() {
        return events.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static OperationId id(String key) {
        return OperationId.of(SCOPE, "", key);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) { // by the test's timeout
                throw new IllegalStateException("what is waited for does not come");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
