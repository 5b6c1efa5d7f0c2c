package dev.fbf.loadtest.listeners;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/** Counts each message of a queue in the row with its number, with the configuration of the page. Its profile names the broker. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({KafkaErrors.class, RabbitErrors.class})
class MessagesApp {

    public static void main(String[] arguments) {
        new SpringApplicationBuilder(MessagesApp.class)
                .properties(Map.of(
                        "spring.artemis.mode", "native",
                        "spring.datasource.username", "postgres",
                        "spring.datasource.hikari.connection-timeout", "250",
                        "spring.kafka.consumer.auto-offset-reset", "earliest",
                        "spring.kafka.consumer.properties.session.timeout.ms", "1000",
                        "spring.kafka.consumer.heartbeat-interval", "200ms",
                        "spring.rabbitmq.listener.simple.prefetch", "1",
                        "spring.rabbitmq.listener.simple.retry.enabled", "true",
                        "spring.main.banner-mode", "off"))
                .run(arguments);
    }

    @Component
    static class Counter {

        private final IdempotentScope scope;
        private final JdbcClient jdbc;

        Counter(IdempotentOperations operations, JdbcClient jdbc) {
            scope = operations.scope("messages");
            this.jdbc = jdbc;
        }

        /** Takes 20 milliseconds, in which the application can be killed. */
        void count(String number) {
            scope.execute(
                    IdempotencyKey.of(number),
                    () -> jdbc.sql("UPDATE counted SET times = times + 1 FROM pg_sleep(0.02) WHERE id = ?")
                            .param(Integer.valueOf(number))
                            .update());
        }
    }

    @Component
    @Profile("artemis")
    record Jms(Counter counter) {

        @JmsListener(destination = Queue.NAME)
        void receive(String number) {
            counter.count(number);
        }
    }

    @Component
    @Profile("kafka")
    record Kafka(Counter counter) {

        @KafkaListener(topics = Queue.NAME, groupId = "g")
        void receive(ConsumerRecord<String, String> message) {
            counter.count(message.value());
        }
    }

    @Component
    @Profile("rabbitmq")
    record Rabbit(Counter counter) {

        @RabbitListener(queues = Queue.NAME)
        void receive(String number) {
            counter.count(number);
        }
    }
}
