package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.SharedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests with several processes of the application on one page of one database. */
@Tag("slow")
@Timeout(180)
abstract class Replicas {

    static final String PATH = "/pages/page-0/views";
    static final String COUNTER = "/counters/hot/increments";

    @RegisterExtension
    static final SharedServer server = new SharedServer();

    @TempDir
    Path directory;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @BeforeEach
    void makeTables() throws SQLException {
        new Database(server.get()).create(1);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    /** Closes it after the test, before all that were opened earlier. */
    <C extends AutoCloseable> C closedLater(C one) {
        open.push(one);
        return one;
    }

    /** Begins to start one. */
    Replica launch(int port, String databaseUrl, String name, String files, String... properties) throws IOException {
        return closedLater(Replica.launch(
                port, directory.resolve(name + ".log"), databaseUrl, directory.resolve(files), properties));
    }

    /** What the counter says; each operation is written down as well. */
    static long views() throws SQLException {
        long views = number("SELECT views FROM torture_page WHERE name = 'page-0'");
        assertThat(number("SELECT count(*) FROM torture_applied")).isEqualTo(views);
        assertThat(number("SELECT count(DISTINCT operation) FROM torture_applied"))
                .isEqualTo(views);
        return views;
    }

    static long number(String sql) throws SQLException {
        return server.get().number(sql);
    }
}
