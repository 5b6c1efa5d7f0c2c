package dev.fbf.spring.guard;

import dev.fbf.db.NodeLease;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.declaration.GuardedMethods;
import dev.fbf.spring.key.RetryWindows;
import dev.fbf.spring.schema.SchemaMigration;
import dev.fbf.spring.settings.PropertyChecks;
import dev.fbf.spring.transaction.GuardedDatabases;
import java.time.Duration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The guards of all scopes. */
@Configuration(proxyBeanMethods = false)
public final class GuardConfiguration {

    /** Undocumented: tests shorten the period. */
    static final String NODE_RENEWAL = "fbf.internal.node-renewal-millis";

    @Bean
    Guards fbfGuards(
            FbfProperties properties,
            GuardedMethods methods,
            ListableBeanFactory beans,
            SchemaMigration schema,
            RetryWindows windows,
            Environment environment) {
        PropertyChecks.requireKnownScopeProperties(environment);
        Duration nodeRenewal =
                Duration.ofMillis(environment.getProperty(NODE_RENEWAL, Long.class, NodeLease.RENEWAL.toMillis()));
        return new Guards(properties, methods, new GuardedDatabases(beans, properties, schema, nodeRenewal), windows);
    }
}
