package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.jdbc.CounterConfiguration;
import dev.fbf.spring.jdbc.GuardConfiguration;
import dev.fbf.spring.jdbc.SchemaConfiguration;
import dev.fbf.spring.method.KeyConfiguration;
import dev.fbf.spring.method.MethodConfiguration;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.OperationConfiguration;
import dev.fbf.spring.web.WebConfiguration;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.annotation.Import;

/** Makes {@link IdempotentIncrement} work wherever there is a data source. */
@AutoConfiguration(
        after = DataSourceTransactionManagerAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            // fbf's starter for Cassandra imports the same configurations: its conditions are evaluated together with
            // these
            "org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FbfProperties.class)
@Import({
    WebConfiguration.class,
    GuardedMethods.class,
    SchemaConfiguration.class,
    KeyConfiguration.class,
    GuardConfiguration.class,
    OperationConfiguration.class,
    CounterConfiguration.class,
    MethodConfiguration.class
})
public final class FbfAutoConfiguration {}
