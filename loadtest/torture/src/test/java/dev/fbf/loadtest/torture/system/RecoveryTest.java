package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Http;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients see of an application that was killed in the middle of a transaction, and started again. */
@Tag("nightly")
@Timeout(120)
class RecoveryTest extends Replicas {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private AppProcess app;

    @BeforeEach
    void start() throws Exception {
        app = closedLater(AppProcess.of(
                FixedPorts.free(),
                directory.resolve("app.log"),
                List.of(),
                server.get().url(),
                directory.resolve("fbf"),
                List.of("--torture.counters=true", "--logging.level.dev.fbf.db.witness.Settler=info")));
        app.start();
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** The server does not notice that the application is gone while its transaction waits for a lock. */
    @Test
    void operationsAreAppliedThoughATransactionOfTheDeadProcessIsStillOpen() throws Exception {
        try (Connection holder = lockThePage()) {
            beginToViewThePage();
            app.kill();
            assertThat(waiters()).isEqualTo(1);

            Start start = app.start();

            assertThat(start.refusedWhileReady()).isZero();
            assertThat(waiters()).isZero();
            assertThat(Files.readString(app.log()))
                    .contains("Recovered 1 operations that the last process left in doubt in the database"
                            + " transactionManager: 0 applied, 1 new, 0 unknown")
                    .contains("connections of it that had to be ended: 1.");
            holder.rollback();
        }
    }

    @Test
    void isNotReadyWhileOperationsAreRefusedForWhatWasLeftInDoubt() throws Exception {
        try (Connection holder = lockThePage()) {
            beginToViewThePage();
            app.kill();
            holder.rollback();
        }
        await(() -> waiters() == 0);
        try (Connection one = lockTheWitness();
                Connection other = lockTheWitness()) {
            Future<Start> started = threads.submit(app::start);
            await(() -> Http.listens(app.port()) && isRefused());
            for (int i = 0; i < 20; i++) {
                assertThat(app.readiness()).isEqualTo(503);
                assertThat(isRefused()).isTrue();
            }
            assertThat(app.readiness()).isEqualTo(503);
            one.rollback();
            other.rollback();

            assertThat(started.get().refusedWhileReady()).isZero();
            assertThat(app.readiness()).isEqualTo(200);
        }
    }

    private static void await(Waiting.Condition<SQLException> condition) throws SQLException, InterruptedException {
        assertThat(Waiting.until(condition, LONG)).isTrue();
    }

    private void beginToViewThePage() throws SQLException, InterruptedException {
        Future<Integer> unanswered = threads.submit(() -> Http.status(Http.post(app.port(), PATH, "view"), LONG));
        await(() -> {
            assertThat(unanswered).isNotDone();
            return waiters() > 0;
        });
    }

    private boolean isRefused() throws InterruptedException {
        return AppProcess.isRefusedForRecovery(app.operation());
    }

    private Connection lockThePage() throws SQLException {
        return lock("SELECT * FROM torture_page FOR UPDATE");
    }

    /** As any number of sessions can at the same time: no transaction's number shows who they are. */
    private Connection lockTheWitness() throws SQLException {
        return lock("SELECT * FROM fbf_witness FOR SHARE");
    }

    private static Connection lock(String sql) throws SQLException {
        Connection connection = server.get().connect();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery(sql);
        }
        return connection;
    }

    private static long waiters() throws SQLException {
        return number("SELECT count(*) FROM pg_locks WHERE NOT granted");
    }
}
