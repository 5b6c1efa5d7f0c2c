package dev.fbf.db;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server whose synchronous standby is away, as an old primary's is after a fail-over. What it shows, the standby may lack: here
 * because some sessions do not wait for it, elsewhere because the server crashed while they did.
 */
@Timeout(60)
@Tag("slow")
public abstract class UnreplicatedCommitContract {

    protected static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    protected static final FbfDatabase database = new FbfDatabase(Map.of("wal_level", "replica"));

    protected final ExecutorService other = Executors.newSingleThreadExecutor();

    @BeforeEach
    void sendTheStandbyAway() throws SQLException {
        waitFor("nobody");
    }

    @AfterEach
    void stop() throws SQLException {
        waitFor("");
        other.shutdownNow();
    }

    protected interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /** What a session is told that waits for the standby: it is told nothing before. */
    protected final <T> T untilTheStandbyIsBack(Question<T> question) throws Exception {
        Connection connection = database.connect();
        execute(connection, "SET synchronous_commit = on");
        Callable<T> asking = () -> question.ask(connection);
        Future<T> told = other.submit(asking);
        awaitAWaiter(told);
        waitFor("");
        return told.get();
    }

    protected static void awaitAWaiter(Future<?> told) throws SQLException {
        while (query(database.connect(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                .equals("0")) {
            assertThat(told.isDone()).isFalse();
        }
    }

    /** The standby confirms what it has got so far, and is away again. */
    protected static void releaseWaiters() throws SQLException {
        waitFor("");
        while (!query(database.connect(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                .equals("0")) {
            Thread.onSpinWait();
        }
        waitFor("nobody");
    }

    private static void waitFor(String standby) throws SQLException {
        Connection connection = database.connect();
        execute(connection, "ALTER SYSTEM SET synchronous_standby_names = '" + standby + "'");
        execute(connection, "SELECT pg_reload_conf()");
        while (!query(connection, "SHOW synchronous_standby_names").equals(standby)) {
            Thread.onSpinWait();
        }
        // a COMMIT waits only once the checkpointer has read the settings
        execute(connection, "CHECKPOINT");
    }
}
