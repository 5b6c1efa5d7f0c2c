package dev.fbf.loadtest.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.transaction.CannotCreateTransactionException;

/** The error handler for Kafka of the page, with a consumer that has no broker. */
@Tag("slow")
class KafkaErrorsTest {

    /** More than Spring Kafka's default error handler makes of a message. */
    private static final int ATTEMPTS = 11;

    private static final TopicPartition PARTITION = new TopicPartition("payments", 0);
    private static final ConsumerRecord<String, String> MESSAGE =
            new ConsumerRecord<>("payments", 0, 7, "key", "value");

    /** Not running, so that no attempt is waited for. */
    private final MessageListenerContainer container = mock();

    private final Consumer<String, String> consumer = new MockConsumer<>("earliest");

    @BeforeEach
    void begin() {
        consumer.assign(List.of(PARTITION));
        ((MockConsumer<String, String>) consumer).updateBeginningOffsets(Map.of(PARTITION, 0L));
    }

    private static Exception refusal(OperationOutcome reason) {
        return OperationRefusedException.of(reason, "payments", "refused", "Refused.");
    }

    static Stream<Exception> refusals() {
        return Stream.of(
                refusal(OperationOutcome.IN_PROGRESS),
                refusal(OperationOutcome.IN_DOUBT),
                new CannotCreateTransactionException("no connection"),
                new DataAccessResourceFailureException("the connection broke"),
                new CannotAcquireLockException("a deadlock"),
                new IllegalStateException("my own", new DataAccessResourceFailureException("the connection broke")));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void aMessageWhoseOperationIsRefusedComesAgainUntilItIsApplied(Exception refusal) {
        DefaultErrorHandler handler = new KafkaErrors().listenerErrorHandler();

        for (int i = 0; i < ATTEMPTS; i++) {
            assertThat(comesAgain(handler, refusal)).isTrue();
        }
    }

    /** A failure that does not pass would stop its partition for good. */
    @Test
    void aMessageThatFailsOtherwiseIsSkippedAfterTenAttempts() {
        DefaultErrorHandler handler = new KafkaErrors().listenerErrorHandler();

        for (int i = 1; i < ATTEMPTS - 1; i++) {
            assertThat(comesAgain(handler, new IllegalArgumentException("wrong")))
                    .isTrue();
        }
        assertThat(comesAgain(handler, new IllegalArgumentException("wrong"))).isFalse();
    }

    @Test
    void springKafkasDefaultSkipsWhatIsRefused() {
        DefaultErrorHandler handler = new DefaultErrorHandler();

        for (int i = 1; i < ATTEMPTS - 1; i++) {
            assertThat(comesAgain(handler, refusal(OperationOutcome.IN_PROGRESS)))
                    .isTrue();
        }
        assertThat(comesAgain(handler, refusal(OperationOutcome.IN_PROGRESS))).isFalse();
    }

    /** Spring Kafka hands over the failure of a batch as its listener has wrapped it. */
    @Test
    void aBatchWhoseOperationsAreRefusedComesAgainUntilTheyAreApplied() {
        Exception refusal = refusal(OperationOutcome.IN_DOUBT);

        assertThat(attempts(new KafkaErrors().listenerErrorHandler(), Collections.nCopies(ATTEMPTS, refusal)))
                .isEqualTo(ATTEMPTS + 1);
    }

    /** Neither the outage counts as an attempt, nor does it make the wrong batch come for ever. */
    @Test
    void aBatchThatFailsOtherwiseIsSkippedAfterTenAttemptsAlsoIfItWasRefusedBefore() {
        List<Exception> failures = new ArrayList<>(Collections.nCopies(2, refusal(OperationOutcome.IN_DOUBT)));
        failures.addAll(Collections.nCopies(2 * ATTEMPTS, new IllegalArgumentException("wrong")));

        assertThat(attempts(new KafkaErrors().listenerErrorHandler(), failures)).isEqualTo(2 + ATTEMPTS - 1);
    }

    /** Has the listener fail with a batch, in these ways, and then succeed; returns how often it was called. */
    private int attempts(DefaultErrorHandler handler, List<Exception> failures) {
        AtomicBoolean running = new AtomicBoolean(true);
        when(container.isRunning())
                .then(
                        call -> { // false while it sleeps, which ends that, and true after it
                            running.set(!running.get());
                            return running.get();
                        });
        AtomicInteger attempts = new AtomicInteger(1);
        handler.handleBatch(
                wrapped(failures.get(0)),
                new ConsumerRecords<>(Map.of(PARTITION, List.of(MESSAGE)), Map.of()),
                consumer,
                container,
                () -> {
                    int failed = attempts.getAndIncrement();
                    if (failed < failures.size()) {
                        throw wrapped(failures.get(failed));
                    }
                });
        return attempts.get();
    }

    private static RuntimeException wrapped(Exception failure) {
        return new ListenerExecutionFailedException("listener failed", failure);
    }

    /** Has the listener fail with the message, which the consumer has read; returns whether it is read again next. */
    private boolean comesAgain(DefaultErrorHandler handler, Exception failure) {
        consumer.seek(PARTITION, MESSAGE.offset() + 1);
        try {
            handler.handleRemaining(wrapped(failure), List.of(MESSAGE), consumer, container);
        } catch (RuntimeException e) {
            assertThat(e).hasMessage("Record in retry and not yet recovered");
        }
        return consumer.position(PARTITION) == MESSAGE.offset();
    }
}
