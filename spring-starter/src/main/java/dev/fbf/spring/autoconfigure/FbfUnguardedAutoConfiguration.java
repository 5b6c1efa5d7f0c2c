package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.operation.OperationGuards;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Refuses annotated methods where nothing could guard them, unless that is meant. */
@AutoConfiguration(
        after = FbfAutoConfiguration.class,
        afterName = "dev.fbf.spring.cassandra.FbfCassandraAutoConfiguration")
@ConditionalOnMissingBean({DataSource.class, OperationGuards.class})
@ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
public final class FbfUnguardedAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static UnguardedMethods fbfUnguardedMethods() {
        return new UnguardedMethods();
    }
}
