package dev.fbf.loadtest.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.kafka.KafkaServers.Counted;
import dev.fbf.loadtest.kafka.RecordsApp.Listener;
import dev.fbf.loadtest.kafka.RecordsApp.Point;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Consumers of 30,000 records that are killed ten times, just before and after COMMIT: each record is applied once. */
@Tag("nightly")
class KilledConsumersTest {

    private static final int RECORDS = 30_000;
    private static final int KILLS = 10;
    private static final int PARTITIONS = 4;
    private static final Duration DEATH = Duration.ofMinutes(2);

    @RegisterExtension
    static final KafkaServers servers = new KafkaServers();

    /** Two processes share the partitions, which move with each kill and each start. */
    @ParameterizedTest
    @CsvSource({"BATCH, false", "BATCH, true", "EACH, true", "RECORD, true"})
    void ofTwoInLedgerMode(Listener listener, boolean waits) throws Exception {
        String topic = "two-" + listener + "-" + waits;
        servers.prepare(topic, PARTITIONS, RECORDS);
        int passes = listener == Listener.RECORD ? RECORDS / 100 : 1;

        List<ChildProcess> running = new ArrayList<>();
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                while (running.size() < 2) {
                    Point point = (kill + running.size()) % 2 == 0 ? Point.AFTER_COMMIT : Point.BEFORE_COMMIT;
                    running.add(servers.startToDie(topic, topic, listener, point, passes, "waits=" + waits));
                }
                assertThat(Waiting.until(() -> running.removeIf(process -> !process.isAlive()), DEATH))
                        .isTrue();
            }
        } finally {
            running.forEach(ChildProcess::close);
        }

        assertAppliedOnce(topic, listener, "waits=" + waits);
    }

    /** In filter mode one process consumes at a time, with two threads. */
    @ParameterizedTest
    @CsvSource({"BATCH, false", "BATCH, true"})
    void ofOneInFilterMode(Listener listener, boolean waits) throws Exception {
        Path directory = Path.of("target", "kafka", "filter").toAbsolutePath();
        Directories.delete(directory);
        String topic = "one-" + listener + "-" + waits;
        servers.prepare(topic, PARTITIONS, RECORDS);
        String[] settings = {
            "fbf.mode=filter", "fbf.directory=" + directory, "spring.kafka.listener.concurrency=2", "waits=" + waits
        };

        for (int kill = 0; kill < KILLS; kill++) {
            Point point = kill % 2 == 0 ? Point.AFTER_COMMIT : Point.BEFORE_COMMIT;
            try (ChildProcess process = servers.startToDie(topic, topic, listener, point, 2, settings)) {
                assertThat(process.awaitEnd(DEATH)).isTrue();
                assertThat(process.awaitExit()).isEqualTo(137);
            }
        }

        assertAppliedOnce(topic, listener, settings);
    }

    /** The handler of the guide waits; the default one would skip everything. */
    @Test
    void ofADatabaseThatIsAwayForAWhile() throws Exception {
        servers.prepare("away", PARTITIONS, RECORDS);
        try (ConfigurableApplicationContext consumer = servers.startHere("away", Listener.BATCH, "waits=true")) {
            Waiting.until(() -> servers.counted().once() > 0, DEATH);
            servers.postgres.kill();
            Waiting.sleep(Duration.ofSeconds(10)); // more attempts than the default handler makes
            servers.postgres.start();

            assertThat(servers.awaitAll("away")).isEqualTo(new Counted(0, RECORDS, 0));
            assertThat(consumer.isRunning()).isTrue();
        }
    }

    private static void assertAppliedOnce(String topic, Listener listener, String... settings) throws Exception {
        try (ConfigurableApplicationContext last = servers.startHere(topic, listener, settings)) {
            assertThat(servers.awaitAll(topic)).isEqualTo(new Counted(0, RECORDS, 0));
            assertThat(last.isRunning()).isTrue();
        }
    }
}
