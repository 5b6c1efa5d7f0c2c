package dev.fbf.spring;

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
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FbfProperties.class)
@Import({
    WebConfiguration.class,
    DeclarationConfiguration.class,
    SchemaConfiguration.class,
    KeyConfiguration.class,
    GuardConfiguration.class,
    OperationConfiguration.class,
    CounterConfiguration.class,
    MethodConfiguration.class
})
public final class FbfAutoConfiguration {}
