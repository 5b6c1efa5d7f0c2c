package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.transaction.FbfAutoConfiguration;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration;
import org.springframework.boot.cassandra.autoconfigure.DriverConfigLoaderBuilderCustomizer;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of {@link CassandraCounters}, and of {@link IdempotentIncrement} methods that use them, for applications with a
 * session.
 */
@AutoConfiguration(after = {CassandraAutoConfiguration.class, FbfAutoConfiguration.class})
@ConditionalOnBean(CqlSession.class)
@ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
@EnableConfigurationProperties({FbfProperties.class, FbfCassandraProperties.class})
public final class FbfCassandraAutoConfiguration {

    @Bean
    @Primary
    LaneGuards fbfLaneGuards(
            CqlSession session,
            FbfProperties properties,
            FbfCassandraProperties own,
            Scopes scopes,
            @Qualifier("fbfGuards") ObjectProvider<OperationGuards> transactions) {
        return new LaneGuards(session, properties, own, scopes, transactions.getIfAvailable());
    }

    /** Lazy: creating the counters opens their scope and its filter, which only applications that inject them need. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    CassandraCounters fbfCassandraCounters(CassandraCounters.Builder builder) {
        return builder.build();
    }

    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    CassandraCounters.Builder fbfCassandraCountersBuilder(
            Declarations declarations,
            ObjectProvider<LaneGuards> guards,
            ObjectProvider<OperationExecutor> executor,
            FbfProperties properties) {
        return new GuardedLaneCounters.Builder(declarations, guards, executor, properties);
    }

    /**
     * Makes Spring Boot's session reconnect within a second. The driver's default waits up to a minute, so all operations would be refused for
     * that long after an outage. A customizer of the application runs later, and takes precedence.
     */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    DriverConfigLoaderBuilderCustomizer fbfReconnectionCustomizer() {
        return builder -> builder.withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(250))
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(1));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthConfiguration {

        /** Out of service until the operations of the retry window are read. */
        @Bean
        @ConditionalOnEnabledHealthIndicator("fbf-cassandra")
        @ConditionalOnMissingBean(name = "fbfCassandraHealthIndicator")
        HealthIndicator fbfCassandraHealthIndicator(LaneGuards guards) {
            return () -> {
                Health.Builder health = guards.areReady() ? Health.up() : Health.outOfService();
                Map<String, String> failures = guards.failures();
                return failures.isEmpty()
                        ? health.build()
                        : health.withDetail("failures", failures).build();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class MicrometerConfiguration {

        @Bean
        LaneMeters fbfLaneMeters(LaneGuards guards) {
            return new LaneMeters(guards);
        }
    }
}
