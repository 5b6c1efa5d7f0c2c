package dev.fbf.loadtest.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.kafka.KafkaServers.Counted;
import dev.fbf.loadtest.kafka.RecordsApp.Listener;
import dev.fbf.loadtest.kafka.RecordsApp.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
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
    @CsvSource({"BATCH, NONE", "BATCH, WAITS", "EACH, WAITS", "RECORD, WAITS"})
    void ofTwoInLedgerMode(Listener listener, String handler) throws Exception {
        String topic = "two-" + listener + "-" + handler;
        servers.prepare(topic, PARTITIONS, RECORDS);
        int passes = listener == Listener.RECORD ? RECORDS / 100 : 1;

        List<ChildProcess> running = new ArrayList<>();
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                while (running.size() < 2) {
                    Point point = (kill + running.size()) % 2 == 0 ? Point.AFTER_COMMIT : Point.BEFORE_COMMIT;
                    running.add(servers.startToDie(topic, topic, listener, point, passes, "handler=" + handler));
                }
                assertThat(Waiting.until(() -> running.removeIf(process -> !process.isAlive()), DEATH))
                        .isTrue();
            }
        } finally {
            running.forEach(ChildProcess::close);
        }

        assertAppliedOnce(topic, listener, "handler=" + handler);
    }

    /** In filter mode one process consumes at a time, with two threads. */
    @ParameterizedTest
    @CsvSource({"BATCH, NONE", "BATCH, WAITS"})
    void ofOneInFilterMode(Listener listener, String handler) throws Exception {
        String topic = "one-" + listener + "-" + handler;
        servers.prepare(topic, PARTITIONS, RECORDS);
        String[] settings = {"fbf.mode=filter", "spring.kafka.listener.concurrency=2", "handler=" + handler};

        for (int kill = 0; kill < KILLS; kill++) {
            Point point = kill % 2 == 0 ? Point.AFTER_COMMIT : Point.BEFORE_COMMIT;
            try (ChildProcess process = servers.startToDie(topic, topic, listener, point, 2, settings)) {
                assertThat(process.awaitEnd(DEATH)).isTrue();
                assertThat(process.awaitExit()).isEqualTo(137);
            }
        }

        assertAppliedOnce(topic, listener, settings);
    }

    private static void assertAppliedOnce(String topic, Listener listener, String... settings) throws Exception {
        try (ConfigurableApplicationContext last = servers.startHere(topic, listener, settings)) {
            assertThat(servers.awaitAll(topic)).isEqualTo(new Counted(0, RECORDS, 0));
            assertThat(last.isRunning()).isTrue();
        }
    }
}
