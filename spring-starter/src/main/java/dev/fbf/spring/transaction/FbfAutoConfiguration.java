package dev.fbf.spring.transaction;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.Mode;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.Scopes;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration of {@link IdempotentIncrement}, {@link IdempotentOperations} and {@link SqlCounters} for applications with a data
 * source.
 */
@AutoConfiguration(
        after = DataSourceTransactionManagerAutoConfiguration.class,
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(FbfProperties.class)
public final class FbfAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(FbfAutoConfiguration.class);

    /**
     * Excludes a context from the registry of nodes: the contexts of a test run share a database, but do not receive each other's retries.
     */
    public static void leaveUnregistered(BeanDefinitionRegistry beans) {
        RootBeanDefinition none = new RootBeanDefinition(NodeRenewal.class);
        none.setFactoryMethodName("none");
        none.setFallback(true);
        beans.registerBeanDefinition("fbfNoNodeRenewal", none);
    }

    /** Lazy, because counters need a filter and a table. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    SqlCounters fbfSqlCounters(SqlCounters.Builder builder) {
        return builder.build();
    }

    /**
     * Registration of this process in the database.
     *
     * @param interval the period between two renewals of a lease; zero if this process does not register
     */
    public record NodeRenewal(Duration interval) {

        static NodeRenewal none() {
            return new NodeRenewal(Duration.ZERO);
        }
    }

    /** Condition that a scope is in filter mode. Its room is loaded only then. */
    public static final class OnFilterMode implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            try {
                return Binder.get(context.getEnvironment())
                        .bind("fbf", FbfProperties.class)
                        .map(OnFilterMode::isInFilterMode)
                        .orElse(false);
            } catch (BindException e) {
                return false; // reported when the properties are bound
            }
        }

        private static boolean isInFilterMode(FbfProperties properties) {
            return properties.mode() == Mode.FILTER
                    || properties.scopes().values().stream().anyMatch(scope -> scope.mode() == Mode.FILTER);
        }
    }

    /**
     * Longest wait of a request for the outcome of an operation in doubt.
     *
     * @param longest {@link #DEFAULT}, replaced in tests
     */
    record SettleTimeout(Duration longest) {

        /** The default timeout: longer than a settlement while the database responds, and shorter than clients wait. */
        static final SettleTimeout DEFAULT = new SettleTimeout(Duration.ofSeconds(2));
    }

    /**
     * Runs after the application's migrations: Flyway refuses its first migration in a schema with tables, whereas fbf's migrations
     * accept them.
     */
    @Bean
    @DependsOnDatabaseInitialization
    SchemaMigration fbfSchemaMigration(FbfProperties properties) {
        return new SchemaMigration(properties.schema());
    }

    @Bean
    GuardedDatabases fbfGuardedDatabases(
            FbfProperties properties,
            ListableBeanFactory beans,
            SchemaMigration schema,
            Scopes scopes,
            List<GuardedMode> modes) {
        return new GuardedDatabases(beans, properties, scopes, schema, modes);
    }

    @Bean
    Guards fbfGuards(
            FbfProperties properties,
            Scopes scopes,
            GuardedDatabases databases,
            ObjectProvider<SettleTimeout> settleTimeout) {
        return new Guards(
                properties,
                databases,
                scopes,
                settleTimeout.getIfAvailable(() -> SettleTimeout.DEFAULT).longest());
    }

    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    SqlCounters.Builder fbfSqlCountersBuilder(
            Declarations declarations,
            ObjectProvider<OperationExecutor> executor,
            ObjectProvider<Guards> guards,
            FbfProperties properties) {
        return new GuardedCounters.Builder(declarations, executor, guards, properties);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
    static class Enabled {

        @Bean
        LedgerMode fbfLedgerMode(
                FbfProperties properties, SchemaMigration schema, ObjectProvider<NodeRenewal> renewal) {
            NodeRenewal node = renewal.getIfAvailable();
            return new LedgerMode(
                    properties.maxClaims(),
                    schema,
                    node == null || !node.interval().isZero(),
                    properties.responses().memory());
        }

        @Bean
        NodeStatus fbfNodeStatus(Guards guards, GuardedDatabases databases) {
            return new NodeStatus(guards, databases);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "fbf.enabled", havingValue = false)
    static class Disabled {

        @Bean
        DisabledMode fbfDisabledLedgerMode(SchemaMigration schema) {
            log.warn(
                    "fbf.enabled=false: retries are applied again, by @IdempotentIncrement methods, IdempotentOperations and SqlCounters."
                            + " Remove the property where operations must be applied once.");
            return new DisabledMode(Mode.LEDGER, schema);
        }

        @Bean
        DisabledMode fbfDisabledFilterMode(SchemaMigration schema) {
            return new DisabledMode(Mode.FILTER, schema);
        }
    }
}
