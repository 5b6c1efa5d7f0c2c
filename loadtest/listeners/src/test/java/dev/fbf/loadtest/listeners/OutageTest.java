package dev.fbf.loadtest.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.Directories;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With the configuration of the page, an application that is killed and a database that is away neither lose nor repeat a message. */
class OutageTest {

    private static final int NUMBERS = 200;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration ALL_COUNTED = Duration.ofMinutes(10);
    private static final Path ROOT = Path.of("target", "outage");

    private static PostgresServer postgres;

    @BeforeAll
    static void start() throws Exception {
        Directories.delete(ROOT);
        postgres = PostgresServer.startNew(Path.of("..", "target", "postgres"), ROOT.resolve("postgres"));
    }

    @BeforeEach
    void empty() throws Exception {
        Counted.prepare(postgres, NUMBERS);
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @Tag("slow")
    @Test
    void ofTenSecondsWithJms() throws Exception {
        eachMessageIsCountedOnce(new ArtemisQueue(), Duration.ofSeconds(10));
    }

    @Tag("nightly")
    @Test
    void ofAMinuteWithJms() throws Exception {
        eachMessageIsCountedOnce(new ArtemisQueue(), MINUTE);
    }

    @Tag("nightly")
    @Test
    void ofAMinuteWithKafka() throws Exception {
        eachMessageIsCountedOnce(new KafkaQueue(ROOT.resolve("kafka")), MINUTE);
    }

    @Tag("nightly")
    @Test
    void ofAMinuteWithRabbitMq() throws Exception {
        eachMessageIsCountedOnce(new RabbitQueue(ROOT.resolve("rabbitmq")), MINUTE);
    }

    private static void eachMessageIsCountedOnce(Queue opened, Duration outage) throws Exception {
        try (Queue queue = opened) {
            queue.send(IntStream.range(0, 2 * NUMBERS)
                    .mapToObj(i -> Integer.toString(i / 2)) // the outage meets both messages of a number
                    .toList());

            try (ChildProcess application = start(queue)) {
                awaitCounted(NUMBERS / 4, application);
                application.kill();
            }
            try (ChildProcess application = start(queue)) {
                awaitCounted(NUMBERS / 2, application);
                postgres.kill();
                Waiting.sleep(outage);
                postgres.start();
                assertThat(Counted.in(postgres).lost()).isPositive();
                awaitCounted(3 * NUMBERS / 4, application);
                application.kill();
            }
            try (ChildProcess application = start(queue)) {
                application.await(ALL_COUNTED, () -> {
                    Waiting.sleep(POLL);
                    return queue.isEmpty();
                });
                application.stop(MINUTE);
            }
            assertThat(queue.isEmpty()).isTrue();
            assertThat(Counted.in(postgres)).isEqualTo(new Counted(0, NUMBERS, 0));
        }
    }

    private static ChildProcess start(Queue queue) throws IOException {
        List<String> settings = Stream.concat(
                        queue.settings().stream(),
                        Stream.of("spring.datasource.url=" + postgres.url(), "fbf.retry-window=1d"))
                .map("--"::concat)
                .toList();
        return ChildProcess.logging(
                ROOT.resolve("application.log"),
                ChildProcess.java(KafkaBroker.JVM, MessagesApp.class.getName(), settings));
    }

    private static void awaitCounted(int numbers, ChildProcess application) throws Exception {
        application.await(ALL_COUNTED, () -> {
            Waiting.sleep(POLL);
            return Counted.in(postgres).once() >= numbers;
        });
    }
}
