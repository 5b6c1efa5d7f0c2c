package dev.fbf.spring.jdbc;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.OperationExecutor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Counters for programs. */
@Configuration(proxyBeanMethods = false)
public final class CounterConfiguration {

    /** Made only where it is injected, because it has a filter of its own. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    SqlCounters fbfSqlCounters(SqlCounters.Builder builder) {
        return builder.build();
    }

    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    SqlCounters.Builder fbfSqlCountersBuilder(
            GuardedMethods known,
            ObjectProvider<OperationExecutor> executor,
            ObjectProvider<Guards> guards,
            FbfProperties properties) {
        return new GuardedCounters.Builder(known, executor, guards, properties);
    }
}
