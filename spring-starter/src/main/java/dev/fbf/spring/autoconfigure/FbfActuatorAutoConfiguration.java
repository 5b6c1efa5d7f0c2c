package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of health, meters and the endpoints, if Actuator or Micrometer is on the class path. */
@AutoConfiguration(afterName = "dev.fbf.spring.method.FbfMethodAutoConfiguration")
@ConditionalOnBean(OperationGuards.class)
final class FbfActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("fbf")
    static class HealthConfiguration {

        @Bean
        @ConditionalOnBean(NodeStatus.class)
        @ConditionalOnMissingBean(name = "fbfHealthIndicator")
        FbfHealthIndicator fbfHealthIndicator(NodeStatus node) {
            return new FbfHealthIndicator(node);
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
