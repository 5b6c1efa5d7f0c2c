package dev.fbf.spring.operation;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Warning at startup about Kafka listeners with the default error handler, which skips messages if their operations cannot be applied now.
 * Listeners with a Kafka transaction manager are not checked: their containers do not expose whether the {@code AfterRollbackProcessor} is
 * the default one.
 */
final class ListenerErrors implements ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(ListenerErrors.class);

    private final Declarations declarations;
    private final ObjectProvider<KafkaListenerEndpointRegistry> listeners;

    ListenerErrors(Declarations declarations, ObjectProvider<KafkaListenerEndpointRegistry> listeners) {
        this.declarations = declarations;
        this.listeners = listeners;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        List<String> skipping = listeners.stream()
                .flatMap(registry -> registry.getAllListenerContainers().stream())
                .filter(ListenerErrors::skips)
                .map(MessageListenerContainer::getListenerId)
                .sorted()
                .toList();
        if (!skipping.isEmpty() && !declarations.all().isEmpty()) {
            log.warn(
                    "The Kafka listeners {} have Spring Kafka's default error handler, which attempts a message ten times without a"
                            + " pause, and then skips it: messages whose operations cannot be applied now, as during an outage of the"
                            + " database, are lost. Define a DefaultErrorHandler that waits; see \"Errors\" in docs/kafka.md.",
                    skipping);
        }
    }

    private static boolean skips(MessageListenerContainer listener) {
        return listener instanceof AbstractMessageListenerContainer<?, ?> container
                && container.getCommonErrorHandler() == null
                && container.getContainerProperties().getKafkaAwareTransactionManager() == null;
    }
}
