package dev.fbf.loadtest.listeners;

import java.nio.file.Path;
import java.util.List;

/** A topic of one partition. */
final class KafkaQueue implements Queue {

    private final KafkaBroker broker;

    KafkaQueue(Path directory) throws Exception {
        broker = KafkaBroker.start(directory);
        broker.create(NAME, 1);
    }

    @Override
    public List<String> settings() {
        return List.of("spring.profiles.active=kafka", "spring.kafka.bootstrap-servers=" + broker.servers());
    }

    @Override
    public void send(List<String> messages) {
        broker.send(NAME, 1, messages);
    }

    @Override
    public boolean isEmpty() {
        return broker.isConsumed(NAME);
    }

    @Override
    public void close() {
        broker.close();
    }
}
