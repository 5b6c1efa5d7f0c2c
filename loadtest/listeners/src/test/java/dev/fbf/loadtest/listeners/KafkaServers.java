package dev.fbf.loadtest.listeners;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.listeners.RecordsApp.Listener;
import dev.fbf.loadtest.listeners.RecordsApp.Point;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A broker and a database that run as long as the tests of a class, and applications between them. */
final class KafkaServers implements BeforeAllCallback, AfterAllCallback {

    private static final Path ROOT = Path.of("target", "kafka");
    private static final Path FILES = ROOT.resolve("files").toAbsolutePath();
    private static final String DEAD_LETTERS = "-dlt";
    private static final Duration ALL_COUNTED = Duration.ofMinutes(5);

    KafkaBroker broker;
    PostgresServer postgres;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        postgres = PostgresServer.prepare(
                Path.of("..", "target", "postgres"), ROOT.resolve("postgres"), FixedPorts.free());
        postgres.start();
        broker = KafkaBroker.start(ROOT.resolve("broker"));
    }

    /** Fills a topic, with one for its dead letters, prepares a row for each of its records, and empties the applications' directory. */
    void prepare(String topic, int partitions, int records) throws Exception {
        Directories.delete(FILES);
        Counted.prepare(postgres, records);
        broker.create(topic, partitions);
        broker.create(topic + DEAD_LETTERS, partitions);
        broker.send(
                topic,
                partitions,
                IntStream.range(0, records).mapToObj(Integer::toString).toList());
    }

    private List<String> settings(String topic, Listener listener, String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "--topic=" + topic,
                "--fbf.directory=" + FILES,
                "--listener=" + listener,
                "--spring.kafka.bootstrap-servers=" + broker.servers(),
                "--spring.datasource.url=" + postgres.url()));
        Stream.of(more).map("--"::concat).forEach(settings::add);
        return settings;
    }

    ConfigurableApplicationContext startHere(String topic, Listener listener, String... more) {
        return RecordsApp.start(settings(topic, listener, more).toArray(String[]::new));
    }

    /** Starts an application that kills itself the next time that it reaches a point, after it has passed it so many times. */
    ChildProcess startToDie(String topic, Listener listener, Point point, int after, String... more)
            throws IOException {
        List<String> all = settings(topic, listener, more);
        all.addAll(List.of("--kill.at=" + point, "--kill.after=" + after));
        return ChildProcess.logging(
                ROOT.resolve(topic + ".log"), ChildProcess.java(KafkaBroker.JVM, RecordsApp.class.getName(), all));
    }

    Counted counted() throws SQLException {
        return Counted.in(postgres);
    }

    /** The numbers of the dead letters. */
    List<Integer> deadLetters(String topic) {
        return broker.values(topic + DEAD_LETTERS).stream()
                .map(Integer::valueOf)
                .toList();
    }

    List<Integer> numbersThatWereNotCounted() throws SQLException {
        return postgres.query("SELECT id FROM counted WHERE times = 0 ORDER BY id", row -> row.getInt(1));
    }

    /** Waits until the offsets of all records are committed; returns how the records were counted. */
    Counted awaitAll(String topic) throws Exception {
        Waiting.until(() -> broker.isConsumed(topic), ALL_COUNTED);
        return counted();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        broker.close();
        postgres.close();
    }
}
