package dev.fbf.loadtest.listeners;

import dev.fbf.process.FixedPorts;
import jakarta.jms.JMSContext;
import java.util.List;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** A queue of Artemis, which runs in this JVM, with the address settings of the page. */
final class ArtemisQueue implements Queue {

    private final String url = "tcp://127.0.0.1:" + FixedPorts.free();
    private final EmbeddedActiveMQ server = new EmbeddedActiveMQ();

    ArtemisQueue() throws Exception {
        Configuration configuration = new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .addAcceptorConfiguration("tcp", url)
                .addQueueConfiguration(QueueConfiguration.of(NAME).setRoutingType(RoutingType.ANYCAST))
                .addAddressSetting(
                        "#",
                        new AddressSettings()
                                .setMaxDeliveryAttempts(-1)
                                .setRedeliveryDelay(1_000)
                                .setRedeliveryMultiplier(2)
                                .setMaxRedeliveryDelay(30_000));
        server.setConfiguration(configuration).start();
    }

    @Override
    public List<String> settings() {
        return List.of("spring.profiles.active=artemis", "spring.artemis.broker-url=" + url);
    }

    @Override
    public void send(List<String> messages) {
        try (ActiveMQConnectionFactory connections = new ActiveMQConnectionFactory(url);
                JMSContext context = connections.createContext()) {
            messages.forEach(message -> context.createProducer().send(context.createQueue(NAME), message));
        }
    }

    @Override
    public boolean isEmpty() {
        return server.getActiveMQServer().locateQueue(SimpleString.of(NAME)).getMessageCount() == 0;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
