package dev.fbf.loadtest.listeners;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.Directories;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The job of the page on three replicas, of which the one that is at work is killed: each month is billed once. */
@Timeout(value = 15, unit = MINUTES, threadMode = SEPARATE_THREAD)
class ScheduledJobTest {

    private static final int REPLICAS = 3;
    private static final Path ROOT = Path.of("target", "job");
    private static final Path LOG = ROOT.resolve("replicas.log");
    private static final Duration POLL = Duration.ofMillis(100);

    private final Map<String, ChildProcess> replicas = new TreeMap<>();
    private PostgresServer postgres;

    @BeforeEach
    void start() throws Exception {
        Directories.delete(ROOT);
        postgres = PostgresServer.startNew(Path.of("..", "target", "postgres"), ROOT.resolve("postgres"));
        postgres.execute("CREATE TABLE due (month text); CREATE TABLE invoice (month text);"
                + " CREATE FUNCTION work() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END';"
                + " CREATE TRIGGER work BEFORE INSERT ON invoice FOR EACH ROW EXECUTE FUNCTION work();"
                + " INSERT INTO due SELECT generate_series(%1$d, %1$d + 1000)::text"
                        .formatted(YearMonth.now().minusMonths(1).number()));
        while (replicas.size() < REPLICAS) {
            replicas.put("replica-" + replicas.size(), launch("replica-" + replicas.size()));
        }
    }

    @AfterEach
    void stop() throws IOException {
        replicas.values().forEach(ChildProcess::close);
        postgres.close();
    }

    @Tag("slow")
    @Test
    void whoseWinnerIsKilledOnce() throws Exception {
        assertEachMonthIsBilledOnceDespite(1);
    }

    @Tag("nightly")
    @Test
    void whoseWinnersAreKilledTenTimes() throws Exception {
        assertEachMonthIsBilledOnceDespite(10);
    }

    /** Kills a winner whenever all replicas run. */
    private void assertEachMonthIsBilledOnceDespite(int kills) throws Exception {
        awaitStarts(REPLICAS);
        awaitMoreInvoices(1);
        for (int kill = 0; kill < kills; kill++) {
            String winner = awaitWinner();
            replicas.get(winner).kill();
            replicas.put(winner, launch(winner));
            awaitStarts(REPLICAS + kill + 1);
            awaitMoreInvoices(1);
        }

        List<Long> billed = postgres.query("SELECT month::bigint FROM invoice ORDER BY 1", row -> row.getLong(1));
        assertThat(billed)
                .containsExactlyElementsOf(LongStream.rangeClosed(billed.get(0), billed.get(billed.size() - 1))
                        .boxed()
                        .toList());
        assertThat(Files.readString(LOG))
                .doesNotContain("Unexpected error occurred in scheduled task")
                .doesNotContain("\tat ");
    }

    private String awaitWinner() throws Exception {
        while (true) {
            List<String> winner = postgres.query(
                    "SELECT application_name FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
                    row -> row.getString(1));
            if (!winner.isEmpty()) {
                return winner.get(0);
            }
            Waiting.sleep(POLL);
        }
    }

    private void awaitMoreInvoices(int more) throws Exception {
        long wanted = invoices() + more;
        while (invoices() < wanted) {
            Waiting.sleep(POLL);
        }
    }

    private void awaitStarts(int starts) throws Exception {
        while (Files.readString(LOG).split("Started JobApp", -1).length <= starts) {
            assertThat(replicas.values()).as("see " + LOG).allMatch(ChildProcess::isAlive);
            Waiting.sleep(POLL);
        }
    }

    private long invoices() throws SQLException {
        return postgres.number("SELECT count(*) FROM invoice");
    }

    private ChildProcess launch(String name) throws IOException {
        return ChildProcess.logging(
                LOG,
                ChildProcess.java(
                        KafkaBroker.JVM,
                        JobApp.class.getName(),
                        List.of(
                                "--spring.datasource.url=" + postgres.url() + "?ApplicationName=" + name,
                                "--logging.level.dev.fbf.loadtest=info")));
    }
}
