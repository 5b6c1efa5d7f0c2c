package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration;
import org.springframework.boot.cassandra.autoconfigure.DriverConfigLoaderBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration that makes Spring Boot's session reconnect within a second. The driver's default waits up to a minute, so all
 * operations would be refused for that long after an outage. A customizer of the application runs later, and takes precedence.
 */
@AutoConfiguration(before = CassandraAutoConfiguration.class)
@ConditionalOnClass({CqlSession.class, DriverConfigLoaderBuilderCustomizer.class})
@ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
public final class FbfCassandraDriverAutoConfiguration {

    private static final Duration FIRST = Duration.ofMillis(250);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    @ConditionalOnMissingBean(name = "fbfReconnectionCustomizer")
    DriverConfigLoaderBuilderCustomizer fbfReconnectionCustomizer() {
        return builder -> builder.withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, FIRST)
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, LONGEST);
    }
}
