package dev.fbf.loadtest.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.listeners.RecordsApp.Listener;
import dev.fbf.loadtest.listeners.RecordsApp.Listeners;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** One record of 2,000 fails each time: it is attempted as often as the error handler says, and becomes a dead letter that is counted nowhere. */
@Tag("nightly")
class DeadLettersTest {

    private static final int RECORDS = 2_000;
    private static final int PARTITIONS = 2;

    /** In the middle of a batch, with records of both partitions around it. */
    private static final int POISON = 777;

    private static final int ATTEMPTS = 10;

    @RegisterExtension
    static final KafkaServers servers = new KafkaServers();

    @ParameterizedTest
    @CsvSource({"RECORD, ledger", "RECORD, filter", "ISOLATING, ledger", "ISOLATING, filter"})
    void theRecordsBesideItAreCountedOnce(Listener listener, String mode) throws Exception {
        String topic = listener + "-" + mode;
        try (ConfigurableApplicationContext app = start(topic, listener, mode)) {
            assertThat(servers.awaitAll(topic)).isEqualTo(new Counted(1, RECORDS - 1, 0));
            assertThat(servers.numbersThatWereNotCounted()).containsExactly(POISON);
            assertThat(servers.deadLetters(topic)).containsExactly(POISON);
            assertThat(app.getBean(Listeners.class).attempts)
                    .hasValue(listener == Listener.RECORD ? ATTEMPTS : 2 * ATTEMPTS); // in the batch, and then alone
        }
    }

    /** The listener does not say which record of the batch fails. */
    @ParameterizedTest
    @ValueSource(strings = {"ledger", "filter"})
    void orTheWholeBatchIsCountedNowhere(String mode) throws Exception {
        String topic = "batch-" + mode;
        try (ConfigurableApplicationContext app = start(topic, Listener.BATCH, mode)) {
            Counted counted = servers.awaitAll(topic);
            List<Integer> lost = servers.numbersThatWereNotCounted();
            assertThat(servers.deadLetters(topic)).contains(POISON).containsExactlyInAnyOrderElementsOf(lost);
            assertThat(counted).isEqualTo(new Counted(lost.size(), RECORDS - lost.size(), 0));
            assertThat(counted.once()).isPositive();
            assertThat(app.getBean(Listeners.class).attempts).hasValue(ATTEMPTS);
        }
    }

    private static ConfigurableApplicationContext start(String topic, Listener listener, String mode) throws Exception {
        servers.prepare(topic, PARTITIONS, RECORDS);
        return servers.startHere(topic, listener, "handler=WAITS", "fbf.mode=" + mode, "poison=" + POISON);
    }
}
