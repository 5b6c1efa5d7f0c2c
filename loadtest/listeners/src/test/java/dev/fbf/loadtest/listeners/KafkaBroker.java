package dev.fbf.loadtest.listeners;

import dev.fbf.process.ChildProcess;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Kafka's broker and controller (KRaft mode), in a JVM of their own. */
final class KafkaBroker implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(5);
    /** Of small processes that start soon. */
    static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private final ChildProcess process;
    private final Map<String, Object> address;

    private KafkaBroker(ChildProcess process, int port) {
        this.process = process;
        address = Map.of("bootstrap.servers", "127.0.0.1:" + port);
    }

    static KafkaBroker start(Path directory) throws Exception {
        Directories.delete(directory);
        Files.createDirectories(directory);
        int port = FixedPorts.free();
        int controller = FixedPorts.free();
        Path settings = directory.resolve("server.properties");
        Files.writeString(settings, """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                controller.listener.names=CONTROLLER
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
                log.dirs=%3$s
                offsets.topic.num.partitions=1
                offsets.topic.replication.factor=1
                auto.create.topics.enable=false
                group.initial.rebalance.delay.ms=0
                group.min.session.timeout.ms=500
                """.formatted(
                        port, controller, directory.resolve("data").toAbsolutePath()));
        run(directory, "kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", settings.toString())
                .awaitExit();
        KafkaBroker broker = new KafkaBroker(run(directory, "kafka.Kafka", settings.toString()), port);
        broker.process.await(START, broker::responds);
        return broker;
    }

    private static ChildProcess run(Path directory, String mainClass, String... arguments) throws IOException {
        return ChildProcess.logging(
                directory.resolve("broker.log"), ChildProcess.java(JVM, mainClass, List.of(arguments)));
    }

    private boolean responds() throws InterruptedException {
        try (Admin admin = Admin.create(address)) {
            admin.describeCluster().nodes().get();
            return true;
        } catch (ExecutionException e) {
            return false;
        }
    }

    String servers() {
        return address.values().iterator().next().toString();
    }

    void create(String topic, int partitions) throws Exception {
        try (Admin admin = Admin.create(address)) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(partitions), Optional.empty())))
                    .all()
                    .get();
        }
    }

    /** Sends records with these values to the partitions of a topic, in turn. */
    void send(String topic, int partitions, List<String> values) {
        // A partition that has just been created may refuse the first of several requests in flight and accept the
        // second. The first one is out of sequence then, and never accepted.
        Map<String, Object> settings = new HashMap<>(address);
        settings.put("max.in.flight.requests.per.connection", 1);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < values.size(); i++) {
                Future<?> unused = producer.send(new ProducerRecord<>(topic, i % partitions, null, values.get(i)));
            }
        }
    }

    /** The values of all records of a topic. */
    List<String> values(String topic) {
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(address, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = partitions(consumer, topic);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<String> values = new ArrayList<>();
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
            }
            return values;
        }
    }

    /** Whether the group has committed the end of each partition that is not empty. */
    boolean isConsumed(String topic) {
        Map<String, Object> settings = new HashMap<>(address);
        settings.put("group.id", "g");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions(consumer, topic));
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(ends.keySet());
            return ends.entrySet().stream()
                    .filter(end -> end.getValue() > 0)
                    .allMatch(end -> committed.get(end.getKey()) != null
                            && committed.get(end.getKey()).offset() == end.getValue());
        }
    }

    private static List<TopicPartition> partitions(KafkaConsumer<?, ?> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
    }

    @Override
    public void close() {
        process.close();
    }
}
