package dev.fbf.loadtest.torture.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SharedServer;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.wire.Interception.Action;
import dev.fbf.loadtest.torture.wire.Interception.Moment;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class DatabaseRelayTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    private final Interceptions interceptions = new Interceptions(what -> {});
    private TcpProxy proxy;

    @BeforeEach
    void open() throws Exception {
        execute("CREATE TABLE fbf_witness (token int); INSERT INTO fbf_witness VALUES (0);"
                + " CREATE TABLE counter (value int); INSERT INTO counter VALUES (0)");
        proxy = TcpProxy.open("test", List.of(SERVER.get().port()), () -> DatabaseRelay.ofPostgres(interceptions));
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
        assertPassed(8, 8, 7, 0);
        assertThat(counter()).isEqualTo(17);
    }

    @ParameterizedTest
    @CsvSource({"COMMIT, ''", "COMMIT, &preferQueryMode=simple", "GROUP, ''"})
    void cutBeforeItLeavesNothingAndHappensOnceOnly(Moment moment, String options) throws SQLException {
        interceptions.add(of(moment, Action.CUT_BEFORE));
        commitInVain(moment, options);
        awaitNoTransaction();
        assertThat(counter()).isZero();
        assertThat(interceptions.done().values()).containsExactly(1L);

        commit(0);
        assertThat(counter()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"COMMIT, ''", "COMMIT, &preferQueryMode=simple", "GROUP, ''"})
    void cutAfterItHidesThatItCommitted(Moment moment, String options) throws SQLException {
        interceptions.add(of(moment, Action.CUT_AFTER));
        commitInVain(moment, options);
        assertThat(counter()).isEqualTo(1);
    }

    @Test
    void heldCommitIsDeliveredLateAndBlocksTheFenceUntilThen() throws Exception {
        interceptions.add(of(Moment.COMMIT, Action.HOLD));
        commitInVain("");
        assertThat(interceptions.held()).isEqualTo(1);
        assertThat(counter()).isZero(); // a mere look would take it for not committed
        assertThatThrownBy(() -> execute("SET lock_timeout = '100ms'; " + fence()))
                .hasMessageContaining("lock timeout");
        release();
        assertThat(counter()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void heldStatementThatCommitsByItselfIsStoppedByTheFenceAndCommitsLateWithoutOne(boolean fenced)
            throws SQLException {
        interceptions.add(of(Moment.GROUP, Action.HOLD));
        commitByItselfInVain();
        if (fenced) {
            assertThat(execute(fence())).isEqualTo(1);
        }
        release();
        assertThat(counter()).isEqualTo(fenced ? 0 : 1);
    }

    private static Interception of(Moment moment, Action action) {
        return new Interception(moment, action, LONG);
    }

    private static String fence() {
        return "UPDATE fbf_witness SET token = -1 WHERE token = 0";
    }

    /** Delivers what is held; returns when the server is done with it, and has ended the connection. */
    private void release() {
        interceptions.release();
        await(() -> proxy.links().isEmpty());
    }

    private void commit(int token) throws SQLException {
        try (Connection connection = connect("")) {
            guarded(connection, token, token + 1);
            connection.commit();
        }
    }

    private void commitInVain(Moment moment, String options) throws SQLException {
        if (moment == Moment.GROUP) {
            commitByItselfInVain();
        } else {
            commitInVain(options);
        }
    }

    private void commitInVain(String options) throws SQLException {
        try (Connection connection = connect(options)) {
            guarded(connection, 0, 1);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
    }

    private void commitByItselfInVain() throws SQLException {
        try (Connection connection = connect("")) {
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> update(
                            connection,
                            "WITH turned AS (UPDATE fbf_witness SET token = 1 WHERE token = 0 RETURNING 1)"
                                    + " UPDATE counter SET value = value + 1 WHERE EXISTS (SELECT 1 FROM turned)"))
                    .isInstanceOf(SQLException.class);
        }
    }

    private void assertPassed(long witnesses, long statements, long commits, long groups) {
        assertThat(Stream.of(Moment.values()).map(interceptions::passed))
                .containsExactly(witnesses, statements, commits, groups);
    }

    private Connection connect(String options) throws SQLException {
        Connection connection = DriverManager.getConnection(
                PostgresServer.url(proxy.port(), PostgresServer.DATABASE) + "?sslmode=disable&user=postgres" + options);
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
        try {
            assertThat(Waiting.until(condition::getAsBoolean, Duration.ofSeconds(20)))
                    .as("in time")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
