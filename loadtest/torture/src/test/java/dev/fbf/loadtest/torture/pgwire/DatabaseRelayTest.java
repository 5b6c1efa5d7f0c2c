package dev.fbf.loadtest.torture.pgwire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SharedServer;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.pgwire.Interception.Delivery;
import dev.fbf.loadtest.torture.pgwire.Interception.Moment;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseRelayTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    private final Interceptions interceptions = new Interceptions(what -> {});
    private TcpProxy proxy;

    @BeforeEach
    void open() throws Exception {
        execute("DROP TABLE IF EXISTS fbf_witness; CREATE TABLE fbf_witness (token int);"
                + " INSERT INTO fbf_witness VALUES (0);"
                + " DROP TABLE IF EXISTS counter; CREATE TABLE counter (value int); INSERT INTO counter VALUES (0)");
        proxy = TcpProxy.open(
                "test", List.of(SERVER.get().port()), () -> new DatabaseRelay(interceptions, List.of("fbf_ledger")));
    }

    @AfterEach
    void close() throws IOException {
        interceptions.heal();
        proxy.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&prepareThreshold=0", "&prepareThreshold=1", "&preferQueryMode=simple"})
    void findsEveryCommitOfAGuardedTransaction(String options) throws SQLException {
        try (Connection connection = connect(options)) {
            for (int i = 0; i < 7; i++) {
                guarded(connection, i, i + 1);
                connection.commit();
            }
            update(connection, "UPDATE counter SET value = value + 10"); // not guarded
            connection.commit();
            guarded(connection, 7, 8);
            connection.rollback();
        }
        assertThat(interceptions.passed())
                .containsEntry(Moment.WITNESS, 8L)
                .containsEntry(Moment.STATEMENT, 8L)
                .containsEntry(Moment.COMMIT, 7L);
        assertThat(counter()).isEqualTo(17);
    }

    @Test
    void takesAStatementThatCommitsByItselfForThatOfAGroup() throws SQLException {
        try (Connection connection = connect("")) {
            connection.setAutoCommit(true);
            guarded(connection, 0, 1);
        }
        assertThat(interceptions.passed())
                .containsEntry(Moment.GROUP, 1L)
                .containsEntry(Moment.COMMIT, 0L)
                .containsEntry(Moment.WITNESS, 0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void cutBeforeCommitLeavesNothing(String options) throws SQLException {
        interceptions.add(Interception.cutBefore(Moment.COMMIT));
        try (Connection connection = connect(options)) {
            guarded(connection, 0, 1);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        awaitNoTransaction();
        assertThat(counter()).isZero();
        assertThat(interceptions.done(Moment.COMMIT, Interception.Action.CUT_BEFORE))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void cutAfterCommitHidesThatItCommitted(String options) throws SQLException {
        interceptions.add(Interception.cutAfter(Moment.COMMIT));
        try (Connection connection = connect(options)) {
            guarded(connection, 0, 1);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        assertThat(counter()).isEqualTo(1);
        assertThat(interceptions.deliveries()).containsEntry(Delivery.COMMITTED, 1L);
    }

    @Test
    void cutBeforeAGroupLeavesNothing() throws SQLException {
        interceptions.add(Interception.cutBefore(Moment.GROUP));
        byItself();
        assertThat(counter()).isZero();
    }

    @Test
    void cutAfterAGroupHidesThatItCommitted() throws SQLException {
        interceptions.add(Interception.cutAfter(Moment.GROUP));
        byItself();
        assertThat(counter()).isEqualTo(1);
        assertThat(interceptions.deliveries()).containsEntry(Delivery.COMMITTED, 1L);
    }

    @Test
    void happensOnceOnly() throws SQLException {
        interceptions.add(Interception.cutBefore(Moment.COMMIT));
        try (Connection connection = connect("")) {
            guarded(connection, 0, 1);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        awaitNoTransaction();
        try (Connection connection = connect("")) {
            guarded(connection, 0, 1);
            connection.commit();
        }
        assertThat(counter()).isEqualTo(1);
    }

    @Test
    void heldCommitIsDeliveredLateAndBlocksTheFenceUntilThen() throws Exception {
        interceptions.add(Interception.hold(Moment.COMMIT, LONG));
        try (Connection connection = connect("")) {
            guarded(connection, 0, 1);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        assertThat(interceptions.held()).isEqualTo(1);
        assertThat(counter()).isZero(); // a mere look would take it for not committed
        assertThatThrownBy(
                        () -> execute("SET lock_timeout = '100ms'; UPDATE fbf_witness SET token = -1 WHERE token = 0"))
                .hasMessageContaining("lock timeout");

        interceptions.release();

        await(() -> interceptions.deliveries().containsKey(Delivery.COMMITTED));
        assertThat(counter()).isEqualTo(1);
    }

    @Test
    void heldCommitOfABackendThatEndedMeanwhileIsLost() throws Exception {
        interceptions.add(Interception.hold(Moment.COMMIT, LONG));
        try (Connection connection = connect("")) {
            guarded(connection, 0, 1);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        for (long pid : SERVER.get().backends()) {
            SERVER.get().terminateBackend(pid);
        }
        interceptions.release();

        await(() -> interceptions.deliveries().containsKey(Delivery.UNKNOWN));
        assertThat(counter()).isZero();
    }

    @Test
    void heldStatementThatCommitsByItselfIsStoppedByTheFence() throws Exception {
        heldByItself();
        assertThat(execute("UPDATE fbf_witness SET token = -1 WHERE token = 0")).isEqualTo(1);

        interceptions.release();

        await(() -> interceptions.deliveries().containsKey(Delivery.COMMITTED));
        assertThat(counter()).isZero();
    }

    @Test
    void heldStatementThatCommitsByItselfCommitsLateWithoutAFence() throws Exception {
        heldByItself();

        interceptions.release();

        await(() -> interceptions.deliveries().containsKey(Delivery.COMMITTED));
        assertThat(counter()).isEqualTo(1);
    }

    private void heldByItself() throws SQLException {
        interceptions.add(Interception.hold(Moment.GROUP, LONG));
        byItself();
    }

    private void byItself() throws SQLException {
        try (Connection connection = connect("")) {
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> update(
                            connection,
                            "WITH turned AS (UPDATE fbf_witness SET token = 1 WHERE token = 0 RETURNING 1)"
                                    + " UPDATE counter SET value = value + 1 WHERE EXISTS (SELECT 1 FROM turned)"))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void heldWitnessFindsThatTheFenceCameFirst() throws Exception {
        interceptions.add(Interception.hold(Moment.WITNESS, LONG));
        try (Connection connection = connect("")) {
            assertThatThrownBy(() -> guarded(connection, 0, 1)).isInstanceOf(SQLException.class);
        }
        assertThat(execute("UPDATE fbf_witness SET token = -1 WHERE token = 0")).isEqualTo(1);

        interceptions.release();

        await(() -> interceptions.deliveries().containsKey(Delivery.EXECUTED));
        awaitNoTransaction();
        assertThat(execute("UPDATE fbf_witness SET token = 5 WHERE token = -1")).isEqualTo(1);
    }

    @Test
    void heldStatementIsRolledBackForWantOfACommit() throws Exception {
        hold(Interception.hold(Moment.STATEMENT, LONG));

        interceptions.release();

        await(() -> interceptions.deliveries().containsKey(Delivery.EXECUTED));
        awaitNoTransaction();
        assertThat(counter()).isZero();
    }

    @Test
    void heldStatementCommitsLateIfSomethingSendsTheCommit() throws Exception {
        hold(Interception.holdThenCommit(Moment.STATEMENT, LONG));

        interceptions.release();

        await(() -> interceptions.deliveries().containsKey(Delivery.COMMITTED));
        assertThat(counter()).isEqualTo(1);
    }

    private void hold(Interception interception) throws SQLException {
        interceptions.add(interception);
        try (Connection connection = connect("")) {
            assertThatThrownBy(() -> guarded(connection, 0, 1)).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void delayBeyondTheTimeoutCommitsAfterTheClientGaveUp() throws Exception {
        interceptions.add(Interception.delay(Moment.COMMIT, LONG));
        try (Connection connection = connect("&socketTimeout=1")) {
            guarded(connection, 0, 1);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        assertThat(counter()).isZero();

        interceptions.release();

        await(() -> counter() == 1);
    }

    @Test
    void callsBeforeAndAfterCommitWasSent() throws SQLException {
        AtomicReference<Long> before = new AtomicReference<>();
        AtomicReference<String> after = new AtomicReference<>();
        interceptions.add(Interception.callBefore(Moment.COMMIT, () -> before.set(counter())));
        interceptions.add(Interception.callAfter(Moment.COMMIT, () -> after.set("called")));
        try (Connection connection = connect("")) {
            guarded(connection, 0, 1);
            connection.commit();
            assertThat(before).hasValue(0L);
            guarded(connection, 1, 2);
            connection.commit();
            await(() -> "called".equals(after.get()));
        }
        assertThat(counter()).isEqualTo(2);
    }

    @Test
    void serverThatIsKilledInTheMiddleOfACommitLeavesItInDoubt() throws Exception {
        CountDownLatch killed = new CountDownLatch(1);
        interceptions.add(Interception.callAfter(Moment.COMMIT, () -> {
            SERVER.get().kill();
            killed.countDown();
        }));
        try (Connection connection = connect("")) {
            guarded(connection, 0, 1);
            assertThatCode(connection::commit)
                    .satisfiesAnyOf(
                            nothing -> assertThat(nothing).isNull(),
                            error -> assertThat(error).isInstanceOf(SQLException.class));
        }
        assertThat(killed.await(20, TimeUnit.SECONDS)).isTrue();
        SERVER.get().start();
        assertThat(counter()).isBetween(0L, 1L);
    }

    private Connection connect(String options) throws SQLException {
        Connection connection =
                DriverManager.getConnection(PostgresServer.url(proxy.port()) + "?user=postgres" + options);
        connection.setAutoCommit(false);
        return connection;
    }

    private static void guarded(Connection connection, int from, int to) throws SQLException {
        update(connection, "UPDATE fbf_witness SET token = " + to + " WHERE token = " + from);
        update(connection, "UPDATE counter SET value = value + 1");
    }

    private static void update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static long counter() {
        try {
            return SERVER.get().number("SELECT value FROM counter");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int execute(String sql) throws SQLException {
        return SERVER.get().execute(sql);
    }

    private static void awaitNoTransaction() {
        await(() -> {
            try {
                return SERVER.get().openTransactions() == 0;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
