package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.jdbc.PlainCounters;
import dev.fbf.spring.jdbc.PlainTransactions;
import dev.fbf.spring.jdbc.SchemaConfiguration;
import dev.fbf.spring.jdbc.SchemaMigration;
import dev.fbf.spring.web.UnguardedWebConfiguration;
import java.util.Objects;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;

/** Keeps the beans that applications inject where the guard is switched off: what they apply is applied at each call. */
@AutoConfiguration(after = FbfAutoConfiguration.class)
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "fbf.enabled", havingValue = false)
@EnableConfigurationProperties(FbfProperties.class)
@Import({SchemaConfiguration.class, UnguardedWebConfiguration.class})
public final class FbfDisabledAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(FbfDisabledAutoConfiguration.class);

    @Bean
    static PlainTransactions fbfPlainTransactions(ListableBeanFactory beans) {
        return new PlainTransactions(beans, null);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static UnguardedCalls fbfUnguardedCalls(ObjectProvider<PlainTransactions> transactions) {
        return new UnguardedCalls(transactions::getObject);
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotentOperations fbfIdempotentOperations(PlainTransactions transactions) {
        log.warn(
                "fbf.enabled=false: retries are applied again, by @IdempotentIncrement methods, IdempotentOperations and SqlCounters."
                        + " Remove the property where operations must be applied once.");
        return new UnguardedOperations(transactions);
    }

    /** Made only where it is injected, because it has a table. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    SqlCounters fbfSqlCounters(SqlCounters.Builder builder) {
        return builder.build();
    }

    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    SqlCounters.Builder fbfSqlCountersBuilder(
            IdempotentOperations operations, PlainTransactions transactions, SchemaMigration schema) {
        return new PlainCounters.Builder(
                operations,
                declared -> declared.in(
                        Objects.requireNonNull(
                                transactions.dataSourceOf(declared.settings()), "the counters' data source"),
                        schema),
                () -> {});
    }
}
