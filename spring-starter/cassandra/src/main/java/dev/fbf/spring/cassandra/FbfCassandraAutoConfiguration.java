package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.transaction.FbfAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;

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
}
