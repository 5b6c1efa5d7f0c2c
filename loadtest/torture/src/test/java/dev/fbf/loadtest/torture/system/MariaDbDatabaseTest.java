package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.harness.sql.MariaDbServer;
import dev.fbf.loadtest.torture.client.KnownHistory;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Operations.Target;
import dev.fbf.loadtest.torture.wire.DatabaseRelay;
import dev.fbf.loadtest.torture.wire.Interception;
import dev.fbf.loadtest.torture.wire.Interception.Action;
import dev.fbf.loadtest.torture.wire.Interception.Moment;
import dev.fbf.loadtest.torture.wire.Interceptions;
import dev.fbf.process.MariaDbProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class MariaDbDatabaseTest {

    private static MariaDbServer server;

    private final Operations operations = new Operations(1, 4, 0.99);
    private final KnownHistory known = new KnownHistory(operations);
    private final long own = known.acknowledged(Target.OWN_COUNTER);
    private final long shared = known.acknowledged(Target.SHARED_COUNTER);
    private final Interceptions interceptions = new Interceptions(what -> {});
    private MariaDbDatabase database;
    private TcpProxy proxy;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        assumeThat(MariaDbProcess.isInstalled()).as("MariaDB is installed").isTrue();
        server = MariaDbServer.startNew(directory);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void create() throws Exception {
        for (String table : List.of("fbf_counter", "fbf_ledger", "torture_page", "torture_probe", "torture_applied")) {
            server.execute("DROP TABLE IF EXISTS " + table);
        }
        server.execute("CREATE TABLE fbf_counter (name varchar(255) PRIMARY KEY, value bigint NOT NULL)");
        server.execute("CREATE TABLE fbf_ledger (operation int PRIMARY KEY, transaction_id bigint NOT NULL)");
        database = new MariaDbDatabase(server);
        database.create(4);
        database.watchCounters();
        proxy = TcpProxy.open("test", List.of(server.port()), () -> DatabaseRelay.ofMariaDb(interceptions));
    }

    @AfterEach
    void close() throws Exception {
        proxy.close();
    }

    @Test
    void findsEachOperationOfAGroupAppliedAndWhatAnotherHasAppliedAgain() throws SQLException {
        apply(1, own, shared);
        Verdict verdict = read();
        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.total()).isEqualTo(new Verdict.Tally(2, 2, 0, 0));
        assertThat(database.groupsOfSeveral()).isEqualTo(1);

        apply(3, own);
        assertThat(read().doubled).containsOnlyKeys(own);
        assertThat(database.groupsOfSeveral()).isEqualTo(1);
    }

    @Test
    void commitThatIsCutBeforeTheServerGetsItAppliesNothing() throws SQLException {
        interceptions.add(new Interception(Moment.COMMIT, Action.CUT_BEFORE, Duration.ZERO));

        assertThatThrownBy(() -> apply(1, own, shared)).isInstanceOf(SQLException.class);

        assertThat(read().lost).containsExactly(own);
        assertThat(interceptions.passed(Moment.WITNESS)).isEqualTo(2);
    }

    @Test
    void commitThatIsCutAfterTheServerGotItAppliesAll() throws SQLException {
        interceptions.add(new Interception(Moment.COMMIT, Action.CUT_AFTER, Duration.ZERO));

        assertThatThrownBy(() -> apply(1, own, shared)).isInstanceOf(SQLException.class);

        assertThat(read().passed()).isTrue();
    }

    private Verdict read() throws SQLException {
        Verdict verdict = new Verdict(operations, known.history());
        database.read(verdict);
        return verdict;
    }

    /** As the ledger does it, in one transaction, through the proxy. */
    private void apply(int firstRow, long... group) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(server.impatientUrl(proxy.port(), "fbf"), server.user(), "");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < group.length; i++) {
                statement.execute("SET STATEMENT innodb_lock_wait_timeout = 0 FOR INSERT INTO `fbf`.fbf_ledger VALUES ("
                        + (firstRow + i) + ", " + firstRow + ")");
                statement.execute("INSERT INTO fbf_counter VALUES ('" + operations.counter(group[i])
                        + "', 1) ON DUPLICATE KEY UPDATE value = value + 1");
            }
            connection.commit();
        }
    }
}
