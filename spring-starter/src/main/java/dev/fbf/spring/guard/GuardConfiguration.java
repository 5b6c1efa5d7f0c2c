package dev.fbf.spring.guard;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.declaration.GuardedMethods;
import dev.fbf.spring.key.RetryWindows;
import dev.fbf.spring.schema.SchemaMigration;
import dev.fbf.spring.settings.PropertyChecks;
import dev.fbf.spring.transaction.GuardedDatabases;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The guards of all scopes. */
@Configuration(proxyBeanMethods = false)
public final class GuardConfiguration {

    @Bean
    Guards fbfGuards(
            FbfProperties properties,
            GuardedMethods methods,
            ListableBeanFactory beans,
            SchemaMigration schema,
            RetryWindows windows,
            Environment environment) {
        PropertyChecks.requireKnownScopeProperties(environment);
        return new Guards(properties, methods, new GuardedDatabases(beans, properties, schema), windows);
    }
}
