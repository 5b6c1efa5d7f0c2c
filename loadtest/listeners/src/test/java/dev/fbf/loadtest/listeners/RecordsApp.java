package dev.fbf.loadtest.listeners;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.stereotype.Component;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;
import org.springframework.util.backoff.FixedBackOff;

/** Counts each record of a topic in the row with its number. Its properties say how, and when it is to kill itself. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class RecordsApp {

    /** A point at which the process can be killed. */
    enum Point {
        /** Its SQL was executed; COMMIT comes next. */
        BEFORE_COMMIT,
        /** The database has committed; the offset was not committed yet. */
        AFTER_COMMIT,
        NEVER
    }

    /** How the records are applied. */
    enum Listener {
        /** Each for itself. */
        RECORD,
        /** A batch with one call. */
        BATCH,
        /** A batch with one call; if that fails, each of its records for itself, up to the one that fails. */
        ISOLATING
    }

    public static void main(String[] arguments) {
        start(arguments);
    }

    static ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(RecordsApp.class)
                .properties(Map.of(
                        "spring.kafka.consumer.auto-offset-reset", "earliest",
                        "spring.kafka.consumer.properties.session.timeout.ms", "1000",
                        "spring.kafka.consumer.heartbeat-interval", "200ms",
                        "spring.datasource.username", "postgres",
                        "spring.artemis.mode", "native",
                        "spring.main.banner-mode", "off"))
                .run(arguments);
    }

    /** Kills the process at the point for which its turn has come. */
    @Component
    static class Killer {

        private final Point point;
        private final AtomicInteger left;

        Killer(Environment environment) {
            point = environment.getProperty("kill.at", Point.class, Point.NEVER);
            left = new AtomicInteger(environment.getProperty("kill.after", Integer.class, 0));
        }

        void at(Point reached) {
            if (reached == point && left.decrementAndGet() < 0) {
                Runtime.getRuntime().halt(137); // as SIGKILL: no hook runs, no connection is closed in order
            }
        }
    }

    @Component
    static class Listeners {

        private final IdempotentScope scope;
        private final JdbcClient jdbc;
        private final Killer killer;
        private final Integer poison;

        /** How often the record that always fails was attempted. */
        final AtomicInteger attempts = new AtomicInteger();

        Listeners(
                IdempotentOperations operations,
                JdbcClient jdbc,
                Killer killer,
                @Value("${poison:-1}") Integer poison) {
            scope = operations.scope("records");
            this.jdbc = jdbc;
            this.killer = killer;
            this.poison = poison;
        }

        @KafkaListener(id = "record", topics = "${topic}", groupId = "g", autoStartup = "#{'${listener}' == 'RECORD'}")
        void record(ConsumerRecord<String, String> record) {
            scope.execute(key(record), () -> count(List.of(record)));
            killer.at(Point.AFTER_COMMIT);
        }

        @KafkaListener(
                id = "batch",
                topics = "${topic}",
                groupId = "g",
                batch = "true",
                autoStartup = "#{'${listener}' == 'BATCH'}")
        void batch(List<ConsumerRecord<String, String>> records) {
            scope.executeAll(records, Listeners::key, this::count);
            killer.at(Point.AFTER_COMMIT);
        }

        @KafkaListener(
                id = "isolating",
                topics = "${topic}",
                groupId = "g",
                batch = "true",
                autoStartup = "#{'${listener}' == 'ISOLATING'}")
        void isolating(List<ConsumerRecord<String, String>> records) {
            try {
                batch(records);
            } catch (IllegalArgumentException e) {
                for (ConsumerRecord<String, String> record : records) {
                    try {
                        record(record);
                    } catch (RuntimeException failure) {
                        throw new BatchListenerFailedException("this one fails", failure, record);
                    }
                }
            }
        }

        private static IdempotencyKey key(ConsumerRecord<?, ?> record) {
            return IdempotencyKey.of(record.topic() + "/" + record.partition() + "/" + record.offset());
        }

        private void count(List<ConsumerRecord<String, String>> records) {
            List<Integer> numbers = records.stream()
                    .map(record -> Integer.valueOf(record.value()))
                    .toList();
            jdbc.sql("UPDATE counted SET times = times + 1 WHERE id = ANY (?)")
                    .param(numbers.toArray(Integer[]::new))
                    .update();
            killer.at(Point.BEFORE_COMMIT);
            if (numbers.contains(poison)) {
                attempts.incrementAndGet();
                throw new IllegalArgumentException("poison=" + poison);
            }
        }
    }

    @Bean
    DeadLetterPublishingRecoverer deadLetters(KafkaOperations<?, ?> kafka) {
        return new DeadLetterPublishingRecoverer(kafka);
    }

    /** That of the page, with dead letters. */
    @Bean
    @ConditionalOnProperty(name = "handler", havingValue = "WAITS")
    DefaultErrorHandler listenerErrorHandler(DeadLetterPublishingRecoverer deadLetters) {
        BackOff untilApplied = new ExponentialBackOff(1_000, 2);
        DefaultErrorHandler handler = new DefaultErrorHandler(deadLetters, untilApplied);
        handler.setBackOffFunction(
                (message, failure) -> Outages.isPassing(failure) ? untilApplied : new FixedBackOff(100, 9));
        handler.setResetStateOnExceptionChange(true); // also for batches
        return handler;
    }
}
