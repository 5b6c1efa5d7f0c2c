package dev.fbf.spring.filter;

import dev.fbf.db.witness.NodeLease;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.transaction.FbfAutoConfiguration;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of filter mode, if a scope is in it. */
@AutoConfiguration(after = FbfAutoConfiguration.class)
@ConditionalOnBean(NodeStatus.class)
@Conditional(FbfAutoConfiguration.OnFilterMode.class)
final class FbfFilterAutoConfiguration {

    @Bean
    FilterMode fbfFilterMode(
            FbfProperties properties, Scopes scopes, ObjectProvider<FbfAutoConfiguration.Timing> timing) {
        FbfAutoConfiguration.Timing its = timing.getIfAvailable();
        return new FilterMode(properties, scopes, its == null ? NodeLease.RENEWAL : its.renewal());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class MicrometerConfiguration {

        @Bean
        FilterMeters fbfFilterMeters(NodeStatus node) {
            return new FilterMeters(node);
        }
    }
}
