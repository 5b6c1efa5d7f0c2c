package dev.fbf.loadtest.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.kafka.KafkaServers.Counted;
import dev.fbf.loadtest.kafka.RecordsApp.Listener;
import dev.fbf.loadtest.kafka.RecordsApp.Point;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Records of a broker are applied once, although a process is killed between the database's COMMIT and the offset's. */
@Tag("slow")
class RecordsTest {

    private static final int RECORDS = 2_000;

    @RegisterExtension
    static final KafkaServers servers = new KafkaServers();

    @Test
    void ofAKilledProcessAreAppliedOnceByItsSuccessor() throws Exception {
        servers.prepare("killed", 2, RECORDS);

        try (ChildProcess dies = servers.startToDie("dies", "killed", Listener.BATCH, Point.AFTER_COMMIT, 1)) {
            assertThat(dies.awaitExit()).isEqualTo(137);
        }
        assertThat(servers.counted().once()).isPositive();

        try (ConfigurableApplicationContext successor = servers.startHere("killed", Listener.BATCH)) {
            assertThat(servers.awaitAll("killed")).isEqualTo(new Counted(0, RECORDS, 0));
            assertThat(successor.isRunning()).isTrue();
        }
    }
}
