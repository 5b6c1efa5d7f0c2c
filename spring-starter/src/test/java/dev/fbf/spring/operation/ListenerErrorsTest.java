package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.util.backoff.ExponentialBackOff;

/** Kafka listeners beside guarded methods: the start names those whose messages would be skipped. No broker is asked. */
@Tag("slow")
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class ListenerErrorsTest {

    private static final String WARNING = "default error handler";

    @Test
    void thatWouldSkipMessagesAreNamedAtStart(DataSource dataSource, @TempDir Path directory, CapturedOutput output) {
        CountedTable.makeIn(dataSource);
        CountingApp.start(directory, new String[0], context -> {
                    CountingApp.addTo(context, dataSource);
                    context.register(Listeners.class);
                })
                .close();

        assertThat(output).containsOnlyOnce("The Kafka listeners [payments, refunds] have Spring Kafka's " + WARNING);
    }

    @Test
    void areNobodysConcernWhereNothingIsGuarded(CapturedOutput output) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Declarations.class, FbfOperationAutoConfiguration.Kafka.class, Listeners.class);
            context.refresh();
        }

        assertThat(output).doesNotContain(WARNING);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableKafka
    static class Listeners {

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory() {
            ConcurrentKafkaListenerContainerFactory<String, String> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.of()));
            factory.setAutoStartup(false);
            return factory;
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> waiting() {
            ConcurrentKafkaListenerContainerFactory<String, String> factory = kafkaListenerContainerFactory();
            factory.setCommonErrorHandler(new DefaultErrorHandler(new ExponentialBackOff()));
            return factory;
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> transactional() {
            ConcurrentKafkaListenerContainerFactory<String, String> factory = kafkaListenerContainerFactory();
            DefaultKafkaProducerFactory<String, String> producers = new DefaultKafkaProducerFactory<>(Map.of());
            producers.setTransactionIdPrefix("test");
            factory.getContainerProperties().setKafkaAwareTransactionManager(new KafkaTransactionManager<>(producers));
            return factory;
        }

        @KafkaListener(id = "payments", topics = "payments")
        void pay(String message) {}

        @KafkaListener(id = "refunds", topics = "refunds")
        void refund(String message) {}

        @KafkaListener(id = "orders", topics = "orders", containerFactory = "waiting")
        void order(String message) {}

        @KafkaListener(id = "transfers", topics = "transfers", containerFactory = "transactional")
        void transfer(String message) {}
    }
}
