package dev.fbf.loadtest.harness.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.loadtest.harness.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class PostgresServerTest {

    private static final Path DATA = SharedServer.DIRECTORY.resolve("data");

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @BeforeEach
    void makeTable() throws SQLException {
        execute("CREATE TABLE kept (id int)");
    }

    @Test
    void keepsWhatItAcknowledges() throws SQLException {
        for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
            assertThat(SERVER.get().setting(setting)).as(setting).isEqualTo("on");
        }
    }

    @Test
    void losesOnlyOpenTransactionsWhenAllOfItIsKilled() throws Exception {
        execute("INSERT INTO kept VALUES (1)");
        try (Connection open = SERVER.get().connect()) {
            open.setAutoCommit(false);
            open.createStatement().execute("INSERT INTO kept VALUES (2)");

            SERVER.get().kill();

            assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(SERVER.get()::connect).isInstanceOf(SQLException.class);
        assertThat(DATA.resolve("postmaster.pid")).doesNotExist();
        assertThat(SERVER.get().start()).isPositive();
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void killsThoseWhoHaveOutlivedThePostmaster() throws Exception {
        try (Connection connection = SERVER.get().connect()) {
            long orphan = pid(connection);
            ChildProcess.signal("STOP", orphan); // else it would notice soon that the postmaster is gone
            long postmaster = Long.parseLong(
                    Files.readAllLines(DATA.resolve("postmaster.pid")).get(0));
            ProcessHandle.of(postmaster).orElseThrow().destroyForcibly();

            SERVER.get().kill();

            SERVER.get().start(); // which it would refuse as long as somebody has the old one's shared memory
        }
    }

    @Test
    void recoversByItselfFromTheKillOfOneBackend() throws Exception {
        execute("INSERT INTO kept VALUES (1)");
        try (Connection victim = SERVER.get().connect();
                Connection bystander = SERVER.get().connect()) {
            long pid = pid(victim);

            assertThat(SERVER.get().killBackend(pid)).isTrue();

            assertThatThrownBy(() -> ask(bystander, "SELECT 1 FROM pg_sleep(5)"))
                    .isInstanceOf(SQLException.class);
        }
        SERVER.get().awaitReady();
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void terminatesOneBackendAloneAndKillsNobodyElsesProcess() throws Exception {
        try (Connection victim = SERVER.get().connect();
                Connection bystander = SERVER.get().connect()) {
            long pid = pid(victim);
            assertThat(SERVER.get().backends()).contains(pid);

            assertThat(SERVER.get().terminateBackend(pid)).isTrue();

            assertThatThrownBy(() -> pid(victim)).isInstanceOf(SQLException.class);
            assertThat(pid(bystander)).isPositive();
            assertThat(SERVER.get().killBackend(ProcessHandle.current().pid())).isFalse();
        }
    }

    @Test
    void recoversFromAnImmediateStop() throws Exception {
        execute("INSERT INTO kept VALUES (1)");

        SERVER.get().stopImmediately();

        assertThatThrownBy(SERVER.get()::connect).isInstanceOf(SQLException.class);
        SERVER.get().start();
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void stopsWhatAnEarlierRunLeftBehind() throws Exception {
        try (Connection old = SERVER.get().connect()) {
            PostgresServer next = SharedServer.start();
            assertThatThrownBy(() -> pid(old)).isInstanceOf(SQLException.class);
            next.close();
        }
        SERVER.get().start();
    }

    private static long pid(Connection connection) throws SQLException {
        return ask(connection, "SELECT pg_backend_pid()");
    }

    private static long count() throws SQLException {
        return SERVER.get().number("SELECT count(*) FROM kept");
    }

    private static void execute(String sql) throws SQLException {
        SERVER.get().execute(sql);
    }

    private static long ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
