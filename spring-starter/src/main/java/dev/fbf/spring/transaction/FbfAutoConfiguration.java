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
        RootBeanDefinition unregistered = new RootBeanDefinition(Timing.class);
        unregistered.setFactoryMethodName("unregistered");
        unregistered.setFallback(true);
        beans.registerBeanDefinition("fbfUnregistered", unregistered);
    }

    /** Lazy, because counters need a filter and a table. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    SqlCounters fbfSqlCounters(SqlCounters.Builder builder) {
        return builder.build();
    }

    /**
     * Times of this process that tests replace.
     *
     * @param renewal the period between two renewals of a lease in filter mode; zero if this process does not register in the database
     * @param settled the longest wait of a request for the outcome of an operation in doubt
     */
    public record Timing(Duration renewal, Duration settled) {

        /** The default: longer than a settlement while the database responds, and shorter than clients wait. */
        static final Duration SETTLED = Duration.ofSeconds(2);

        static Timing unregistered() {
            return new Timing(Duration.ZERO, SETTLED);
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
            FbfProperties properties, Scopes scopes, GuardedDatabases databases, ObjectProvider<Timing> timing) {
        Timing its = timing.getIfAvailable();
        return new Guards(properties, databases, scopes, its == null ? Timing.SETTLED : its.settled());
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

    @Bean
    LedgerMode fbfLedgerMode(FbfProperties properties, SchemaMigration schema, ObjectProvider<Timing> timing) {
        if (!properties.enabled()) {
            log.warn(
                    "fbf.enabled=false: retries are applied again, by @IdempotentIncrement methods, IdempotentOperations and SqlCounters."
                            + " Remove the property where operations must be applied once.");
        }
        Timing its = timing.getIfAvailable();
        return new LedgerMode(properties, schema, its == null || !its.renewal().isZero());
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
    NodeStatus fbfNodeStatus(Guards guards, GuardedDatabases databases) {
        return new NodeStatus(guards, databases);
    }
}
