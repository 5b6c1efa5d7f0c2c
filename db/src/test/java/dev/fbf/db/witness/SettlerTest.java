package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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

    private final List<Long> pauses = new CopyOnWriteArrayList<>();
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

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
        node = Node.open(path, 2, false);
        claims = node.scope(scope, FilterSizing.DEFAULT.plan());
        witnessed = node.database("database");
        witness = new WitnessTable(FbfDatabase.TABLES, node.id());
        settler = new Settler(StrangeConnections.dataSource(database::connect), witnessed, witness) {
            @Override
            Duration run(boolean early) {
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

        await(() -> claims.admit(id("ended"), null) == Refusal.APPLIED);

        assertThat(claims.admit(id("locked"), null)).isEqualTo(Refusal.IN_DOUBT);
        one.rollback();
        other.rollback();
        await(() -> claims.admit(id("locked"), null) instanceof Claim);
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

        assertThat(claims.admit(id("committed"), null)).isEqualTo(Refusal.APPLIED);
        assertThat(claims.admit(id("open"), null)).isInstanceOf(Claim.class);
        await(() -> logged().stream().anyMatch(message -> message.startsWith("Recovered 2 operations ")));
        assertThat(logged())
                .as("how long the transactions that the witness does not know can be in the way")
                .anyMatch(message -> message.matches(
                        "Recovered .* had to be ended: 1\\..* hold locks, and delay retries, for up to [1-9].*"));
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
        assertThat(claims.admit(id("a"), null) == Refusal.APPLIED).isEqualTo(applied);
    }

    @Test
    void aRowThatIsMissingIsMadeAgain() throws Exception {
        startSettler();
        FbfDatabase.execute(tx, "TRUNCATE fbf_witness");
        tx.commit();

        witnessed.transaction((Claim) claims.admit(id("a"), null)).mismatched();
        await(() -> witnessed.inDoubt() == 0);

        assertThat(FbfDatabase.query(database.connect(), "SELECT count(*) FROM fbf_witness"))
                .isEqualTo("2");
        assertThat(claims.lostCommits()).as("another database").isNotNull();
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

        witnessed.transaction((Claim) claims.admit(id("c"), null)).mismatched();

        await(() -> claims.lostCommits() != null);
        await(() -> witnessed.inDoubt() == 0);
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
        await(() -> claims.admit(id("b"), null) == Refusal.APPLIED);

        assertThat(claims.admit(id("a"), null)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(logged()).filteredOn(SettlerTest::isUnknown).hasSize(1);
    }

    private static Stream<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fbf-settle-database"));
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

    /** Begins a transaction with one operation. */
    private WitnessedTransaction begin(String key) throws SQLException {
        WitnessedTransaction transaction = witnessed.transaction((Claim) claims.admit(id(key), null));
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
