package dev.fbf.loadtest.harness.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class PostgresServerTest {

    private static final Path DATA = SharedServer.DIRECTORY.resolve("data");

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @Test
    void keepsWhatItAcknowledges() throws SQLException {
        for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
            assertThat(SERVER.get().setting(setting)).as(setting).isEqualTo("on");
        }
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
    void stopsWhatAnEarlierRunLeftBehind() throws Exception {
        try (Connection old = SERVER.get().connect()) {
            PostgresServer next = SharedServer.start();
            assertThatThrownBy(() -> pid(old)).isInstanceOf(SQLException.class);
            next.close();
        }
        SERVER.get().start();
    }

    private static long pid(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getLong(1);
        }
    }
}
