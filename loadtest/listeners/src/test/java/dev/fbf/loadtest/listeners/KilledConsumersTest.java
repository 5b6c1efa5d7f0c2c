package dev.fbf.loadtest.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.listeners.RecordsApp.Listener;
import dev.fbf.loadtest.listeners.RecordsApp.Point;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Consumers that are killed just before and after COMMIT, in which the offset is not committed yet: each record is applied once. */
class KilledConsumersTest {

    private static final int RECORDS = 30_000;
    private static final int KILLS = 10;
    private static final int PARTITIONS = 4;
    private static final Duration DEATH = Duration.ofMinutes(2);

    @RegisterExtension
    static final KafkaServers servers = new KafkaServers();

    @Tag("slow")
    @Test
    void ofOneThatIsKilledOnce() throws Exception {
        servers.prepare("once", PARTITIONS, 2_000);
        try (ChildProcess dies = servers.startToDie("once", Listener.BATCH, Point.AFTER_COMMIT, 1)) {
            assertThat(dies.awaitExit()).isEqualTo(137);
        }
        assertThat(servers.counted().once()).isPositive();
        assertAppliedOnce("once", 2_000, Listener.BATCH);
    }

    /** In ledger mode two processes share the partitions, which move with each kill and each start. In filter mode one consumes at a time, with two threads. */
    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({
        "BATCH, NONE, ledger",
        "BATCH, WAITS, ledger",
        "RECORD, WAITS, ledger",
        "BATCH, NONE, filter",
        "BATCH, WAITS, filter"
    })
    void ofThoseThatAreKilledTenTimes(Listener listener, String handler, String mode) throws Exception {
        String topic = mode + "-" + listener + "-" + handler;
        servers.prepare(topic, PARTITIONS, RECORDS);
        int processes = mode.equals("ledger") ? 2 : 1;
        int passes = listener == Listener.RECORD ? RECORDS / 100 : 1;
        String[] settings = {
            "fbf.mode=" + mode, "spring.kafka.listener.concurrency=" + 2 / processes, "handler=" + handler
        };

        List<ChildProcess> running = new ArrayList<>();
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                while (running.size() < processes) {
                    Point point = (kill + running.size()) % 2 == 0 ? Point.AFTER_COMMIT : Point.BEFORE_COMMIT;
                    running.add(servers.startToDie(topic, listener, point, passes, settings));
                }
                assertThat(Waiting.until(() -> running.removeIf(process -> !process.isAlive()), DEATH))
                        .isTrue();
            }
        } finally {
            running.forEach(ChildProcess::close);
        }

        assertAppliedOnce(topic, RECORDS, listener, settings);
    }

    private static void assertAppliedOnce(String topic, int records, Listener listener, String... settings)
            throws Exception {
        try (ConfigurableApplicationContext last = servers.startHere(topic, listener, settings)) {
            assertThat(servers.awaitAll(topic)).isEqualTo(new Counted(0, records, 0));
            assertThat(last.isRunning()).isTrue();
        }
    }
}
