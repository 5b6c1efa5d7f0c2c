package dev.fbf.spring.cassandra;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of health and meters for the lanes, if there is an actuator or Micrometer. */
@AutoConfiguration(after = FbfCassandraAutoConfiguration.class)
@ConditionalOnBean(LaneGuards.class)
public final class FbfCassandraActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthConfiguration {

        @Bean
        @ConditionalOnEnabledHealthIndicator("fbf-cassandra")
        @ConditionalOnMissingBean(name = "fbfCassandraHealthIndicator")
        LaneHealthIndicator fbfCassandraHealthIndicator(LaneGuards guards) {
            return new LaneHealthIndicator(guards);
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
