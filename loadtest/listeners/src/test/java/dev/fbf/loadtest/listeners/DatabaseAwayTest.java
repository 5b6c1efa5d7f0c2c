package dev.fbf.loadtest.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.listeners.RecordsApp.Listener;
import dev.fbf.process.Waiting;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The database is away for a minute while records are consumed. The handler of the guide attempts them until it is back; Spring Kafka's
 * default one would skip them all.
 */
@Tag("nightly")
class DatabaseAwayTest {

    private static final int RECORDS = 30_000;
    private static final int PARTITIONS = 4;
    private static final Duration OUTAGE = Duration.ofSeconds(60);
    private static final Duration BEGIN = Duration.ofMinutes(2);

    @RegisterExtension
    static final KafkaServers servers = new KafkaServers();

    @ParameterizedTest
    @CsvSource({
        "BATCH, ledger",
        "BATCH, filter",
        "ISOLATING, ledger",
        "ISOLATING, filter",
        "RECORD, ledger",
        "RECORD, filter"
    })
    void eachRecordIsCountedOnce(Listener listener, String mode) throws Exception {
        String topic = listener + "-" + mode;
        servers.prepare(topic, PARTITIONS, RECORDS);

        try (ConfigurableApplicationContext consumer = servers.startHere(
                topic,
                listener,
                "handler=WAITS",
                "fbf.mode=" + mode,
                "spring.datasource.hikari.connection-timeout=1000")) {
            assertThat(Waiting.until(() -> servers.counted().once() > 0, BEGIN)).isTrue();
            servers.postgres.kill();
            Waiting.sleep(OUTAGE);
            servers.postgres.start();
            assertThat(servers.counted().lost()).isPositive();

            assertThat(servers.awaitAll(topic)).isEqualTo(new Counted(0, RECORDS, 0));
            assertThat(servers.deadLetters(topic)).isEmpty();
            assertThat(consumer.isRunning()).isTrue();
        }
    }
}
