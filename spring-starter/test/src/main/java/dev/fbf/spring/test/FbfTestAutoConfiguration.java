package dev.fbf.spring.test;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.transaction.FbfAutoConfiguration;
import dev.fbf.spring.transaction.PlainTransactions;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;

/**
 * Auto-configuration of {@link IdempotentIncrement}, {@link IdempotentOperations} and {@link SqlCounters} for tests without PostgreSQL:
 * operations are kept in memory, with another database or without one.
 */
@AutoConfiguration(before = FbfAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
@ConditionalOnMissingClass("dev.fbf.spring.cassandra.FbfCassandraAutoConfiguration")
@EnableConfigurationProperties(FbfProperties.class)
public final class FbfTestAutoConfiguration {

    @Bean
    static PlainTransactions fbfPlainTransactions(ListableBeanFactory beans) {
        return new PlainTransactions(beans, new InMemoryTransactionManager());
    }

    @Bean
    InMemoryCalls fbfInMemoryCalls(PlainTransactions transactions) {
        return new InMemoryCalls(transactions);
    }

    @Bean
    @Primary
    InMemoryGuards fbfInMemoryGuards(
            Scopes scopes,
            PlainTransactions transactions,
            InMemoryCalls calls,
            @Qualifier("fbfGuards") ObjectProvider<OperationGuards> production) {
        return new InMemoryGuards(scopes, transactions, calls, production::getIfAvailable);
    }

    /** Lazy, because it needs a table. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    SqlCounters fbfSqlCounters(SqlCounters.Builder builder) {
        return builder.build();
    }

    @Bean
    @Primary
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    @DependsOnDatabaseInitialization
    SqlCounters.Builder fbfInMemoryCountersBuilder(
            Declarations declarations,
            ObjectProvider<OperationExecutor> executor,
            PlainTransactions transactions,
            FbfProperties properties,
            InMemoryCalls calls,
            InMemoryGuards guards,
            @Qualifier("fbfSqlCountersBuilder") ObjectProvider<SqlCounters.Builder> production) {
        return new InMemoryCountersBuilder(
                transactions, properties.schema(), declarations, executor, calls, guards, production);
    }
}
