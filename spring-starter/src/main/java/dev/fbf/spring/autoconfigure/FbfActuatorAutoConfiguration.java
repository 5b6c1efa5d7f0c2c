package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Auto-configuration of health, the readiness group, meters and the endpoints, if Actuator or Micrometer is on the class path. */
@AutoConfiguration(
        afterName = {
            "dev.fbf.spring.method.FbfMethodAutoConfiguration",
            // defines the readiness group that fbf joins
            "org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration"
        })
@ConditionalOnBean(OperationGuards.class)
final class FbfActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, SecurityContext.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("fbf")
    static class HealthConfiguration {

        @Bean
        @ConditionalOnBean(NodeStatus.class)
        @ConditionalOnMissingBean(name = "fbfHealthIndicator")
        FbfHealthIndicator fbfHealthIndicator(NodeStatus node) {
            return new FbfHealthIndicator(node);
        }

        @Bean
        static ReadinessGroup fbfReadinessGroup(Environment environment) {
            return new ReadinessGroup(environment);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    @ConditionalOnBean(NodeStatus.class)
    static class MicrometerConfiguration {

        @Bean
        GuardMeters fbfGuardMeters(NodeStatus node) {
            return new GuardMeters(node);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnBean(NodeStatus.class)
    static class EndpointConfiguration {

        @Bean
        @ConditionalOnAvailableEndpoint
        @ConditionalOnMissingBean
        FbfEndpoint fbfEndpoint(NodeStatus node) {
            return new FbfEndpoint(node);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        @ConditionalOnMissingBean
        FbfOperationsEndpoint fbfOperationsEndpoint(NodeStatus node) {
            return new FbfOperationsEndpoint(node);
        }
    }
}
