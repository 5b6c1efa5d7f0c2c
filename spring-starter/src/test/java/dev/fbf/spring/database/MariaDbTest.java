package dev.fbf.spring.database;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.dialect.Dialect;
import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.HttpApp;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** MariaDB with its own driver, in its default isolation, REPEATABLE READ. */
@ExtendWith(MariaDb.Extension.class)
class MariaDbTest extends DatabaseContract {

    private final MariaDb server;

    MariaDbTest(MariaDb server) {
        this.server = server;
    }

    String driver() {
        return "mariadb";
    }

    @Override
    final DataSource open() {
        return server.database(driver(), database());
    }

    private String database() {
        return driver() + "_contract";
    }

    @Override
    final void revoke(JdbcClient jdbc) {
        JdbcClient.create(server.root("mariadb"))
                .sql("SET GLOBAL read_only = 1")
                .update();
    }

    @Override
    final void grant(JdbcClient jdbc) {
        JdbcClient.create(server.root("mariadb"))
                .sql("SET GLOBAL read_only = 0")
                .update();
    }

    /** The server ends the transaction that has changed less: the guarded one. */
    @Test
    void aDeadlockThatTheMethodCatchesAppliesNothing() throws Exception {
        try (Connection other = open().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            for (int id = 10; id < 200; id++) {
                statement.execute("INSERT INTO counted VALUES (" + id + ", 0)");
            }
            statement.execute("UPDATE counted SET total = total + 1 WHERE id = 2");

            assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                    .isThrownBy(() -> counts.countAnd(key, () -> {
                        CompletableFuture<String> blocked = ConcurrentCall.start(() -> {
                            statement.execute("UPDATE counted SET total = total + 1 WHERE id = 1");
                            return "updated";
                        });
                        awaitWaiting();
                        assertThatExceptionOfType(PessimisticLockingFailureException.class)
                                .isThrownBy(() -> jdbc(here)
                                        .sql("UPDATE counted SET total = total + 1 WHERE id = 2")
                                        .update());
                        blocked.get();
                    }))
                    .withMessageContaining("deadlock");
            other.rollback();
        }
        assertThat(total()).isZero();

        counts.count(key);

        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aLockTimeoutOfItsOwnStatementAppliesTheRestIfTheMethodCatchesIt() throws Exception {
        try (Connection other = lockingAnother()) {
            counts.countAnd(
                    key,
                    () -> assertThatExceptionOfType(DataAccessException.class)
                            .isThrownBy(this::addToAnotherAtOnce)
                            .withMessageContaining("Lock wait timeout"));
            other.rollback();
        }
        counts.countAnd(key, this::addToAnotherAtOnce);

        assertThat(total()).isEqualTo(1);
        assertThat(another()).isZero();
    }

    private Connection lockingAnother() throws SQLException {
        Connection other = open().getConnection();
        other.setAutoCommit(false);
        try (Statement statement = other.createStatement()) {
            statement.execute("UPDATE counted SET total = total + 1 WHERE id = 2");
        }
        return other;
    }

    private void addToAnotherAtOnce() {
        jdbc(here)
                .sql("SET STATEMENT innodb_lock_wait_timeout = 0 FOR UPDATE counted SET total = total + 1 WHERE id = 2")
                .update();
    }

    private long another() throws SQLException {
        return JdbcClient.create(open())
                .sql("SELECT total FROM counted WHERE id = 2")
                .query(Long.class)
                .single();
    }

    private void awaitWaiting() {
        JdbcClient root = JdbcClient.create(server.root("mariadb"));
        Awaitility.await()
                .until(() ->
                        root.sql("SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
                                        .query(Long.class)
                                        .single()
                                > 0);
    }

    @Test
    void anOperationSendsItsRowAndIsLookedForBeforeTheCommit() throws Exception {
        JdbcClient root = JdbcClient.create(server.root("mariadb"));
        root.sql("TRUNCATE mysql.general_log").update();
        root.sql("SET GLOBAL log_output = 'TABLE'").update();
        root.sql("SET GLOBAL general_log = 1").update();
        counts.count(key);
        root.sql("SET GLOBAL general_log = 0").update();

        assertThat(root.sql(
                                "SELECT CAST(argument AS char) FROM mysql.general_log WHERE thread_id = (SELECT max(thread_id)"
                                        + " FROM mysql.general_log WHERE argument LIKE '%FOR INSERT INTO%fbf_ledger%') AND command_type = 'Query'")
                        .query(String.class)
                        .list())
                .filteredOn(sql -> sql.matches("(?s).*(fbf_ledger|counted).*"))
                .satisfiesExactly(
                        row -> assertThat(row).contains("INSERT INTO"),
                        update -> assertThat(update).startsWith("UPDATE counted"),
                        check -> assertThat(check).startsWith("SELECT 1 FROM"));
    }

    @Test
    void aServerThatIsKilledRefusesOperationsUntilItIsBack() throws Exception {
        counts.count(key + "before");
        server.process().kill();
        try {
            assertUnavailable(() -> counts.count(key));
            assertThat(order(here, "tea").statusCode()).isEqualTo(503);
            Awaitility.await().until(() -> health().equals("DOWN"));
        } finally {
            server.process().start();
        }

        Awaitility.await().until(() -> health().equals("UP"));
        counts.count(key);
        counts.count(key + "before");
        assertThat(total()).isEqualTo(2);
    }

    private String health() throws Exception {
        JsonNode health = HttpApp.json(here.get("/actuator/health", "application/json"));
        return health.at("/components/fbf/status").asString();
    }

    @Test
    void aServerThatDoesNotSyncEachCommitIsWarnedOf() throws SQLException {
        JdbcClient root = JdbcClient.create(server.root("mariadb"));
        try (Connection connection = open().getConnection()) {
            assertThat(Dialect.of(connection).warnings(connection)).isEmpty();
            root.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 2").update();
            assertThat(Dialect.of(connection).warnings(connection))
                    .singleElement()
                    .asString()
                    .startsWith("innodb_flush_log_at_trx_commit is 2: ");
        } finally {
            root.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1").update();
        }
    }
}
