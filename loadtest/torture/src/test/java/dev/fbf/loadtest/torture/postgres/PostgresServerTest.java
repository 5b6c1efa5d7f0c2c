package dev.fbf.loadtest.torture.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresServerTest {

    private static final Path DATA = Path.of("target", "postgres-test", "server", "data");

    private static PostgresServer server;

    @BeforeAll
    static void start() throws Exception {
        server = SharedServer.start();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void makeTable() throws SQLException {
        execute("DROP TABLE IF EXISTS kept");
        execute("CREATE TABLE kept (id int)");
    }

    @Test
    void keepsWhatItAcknowledges() throws SQLException {
        for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
            assertThat(server.setting(setting)).as(setting).isEqualTo("on");
        }
    }

    @Test
    void losesOnlyOpenTransactionsWhenAllOfItIsKilled() throws Exception {
        execute("INSERT INTO kept VALUES (1)");
        try (Connection open = server.connect()) {
            open.setAutoCommit(false);
            open.createStatement().execute("INSERT INTO kept VALUES (2)");

            server.kill();

            assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(server::connect).isInstanceOf(SQLException.class);
        assertThat(server.start()).isPositive();
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void killsThoseWhoHaveOutlivedThePostmaster() throws Exception {
        try (Connection connection = server.connect()) {
            long orphan = pid(connection);
            Binaries.signal("STOP", orphan); // else it would notice soon that the postmaster is gone
            long postmaster = Long.parseLong(
                    Files.readAllLines(DATA.resolve("postmaster.pid")).get(0));
            ProcessHandle.of(postmaster).orElseThrow().destroyForcibly();

            server.kill();

            server.start(); // which it would refuse as long as somebody has the old one's shared memory
        }
    }

    @Test
    void recoversByItselfFromTheKillOfOneBackend() throws Exception {
        execute("INSERT INTO kept VALUES (1)");
        try (Connection victim = server.connect();
                Connection bystander = server.connect()) {
            long pid = pid(victim);

            assertThat(server.killBackend(pid)).isTrue();

            assertThatThrownBy(() -> ask(bystander, "SELECT 1 FROM pg_sleep(5)"))
                    .isInstanceOf(SQLException.class);
        }
        server.awaitReady();
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void terminatesOneBackendAlone() throws Exception {
        try (Connection victim = server.connect();
                Connection bystander = server.connect()) {
            long pid = pid(victim);
            assertThat(server.backends()).contains(pid);

            assertThat(server.terminateBackend(pid)).isTrue();

            assertThatThrownBy(() -> pid(victim)).isInstanceOf(SQLException.class);
            assertThat(pid(bystander)).isPositive();
        }
    }

    @Test
    void killsNobodyElsesProcess() {
        assertThat(server.killBackend(ProcessHandle.current().pid())).isFalse();
    }

    @Test
    void recoversFromAnImmediateStop() throws Exception {
        execute("INSERT INTO kept VALUES (1)");

        server.stopImmediately();

        assertThatThrownBy(server::connect).isInstanceOf(SQLException.class);
        server.start();
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void whenItIsKilledNothingIsLeftThatNamesItsPid() throws Exception {
        server.kill();

        assertThat(DATA.resolve("postmaster.pid")).doesNotExist();
        server.start();
    }

    @Test
    void stopsWhatAnEarlierRunLeftBehind() throws Exception {
        try (Connection old = server.connect()) {
            PostgresServer next = SharedServer.start();
            assertThatThrownBy(() -> pid(old)).isInstanceOf(SQLException.class);
            next.close();
        }
        server.start();
    }

    private static long pid(Connection connection) throws SQLException {
        return ask(connection, "SELECT pg_backend_pid()");
    }

    private static long count() throws SQLException {
        try (Connection connection = server.connect()) {
            return ask(connection, "SELECT count(*) FROM kept");
        }
    }

    private static long ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
