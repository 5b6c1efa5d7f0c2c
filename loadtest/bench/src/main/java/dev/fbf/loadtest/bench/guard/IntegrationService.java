package dev.fbf.loadtest.bench.guard;

import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.annotation.IdempotentReceiver;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.handler.advice.IdempotentReceiverInterceptor;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.integration.selector.MetadataStoreSelector;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.DataSourceInitializer;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.messaging.handler.annotation.Payload;

/** Spring Integration's idempotent receiver: its store has a row for each key, and drops the message if there is one. */
@Configuration(proxyBeanMethods = false)
@EnableIntegration
@Import(IntegrationGateway.class)
class IntegrationService {

    static final String CHANNEL = "increments";
    static final String KEY = "key";

    private static final String RECEIVER = "idempotentReceiver";
    private static final String TABLES = "org/springframework/integration/jdbc/schema-postgresql.sql";

    private final JdbcTemplate jdbc;
    private final String update;

    IntegrationService(JdbcTemplate jdbc, GuardContender contender) {
        this.jdbc = jdbc;
        update = BenchDatabase.update(contender);
    }

    @ServiceActivator(inputChannel = CHANNEL)
    @IdempotentReceiver(RECEIVER)
    public void increment(@Payload int counter) {
        jdbc.update(update, counter);
    }

    @Bean(RECEIVER)
    static IdempotentReceiverInterceptor idempotentReceiver(JdbcMetadataStore store) {
        IdempotentReceiverInterceptor receiver = new IdempotentReceiverInterceptor(
                new MetadataStoreSelector(message -> message.getHeaders().get(KEY, String.class), store));
        receiver.setDiscardChannelName("nullChannel");
        return receiver;
    }

    @Bean
    static JdbcMetadataStore store(JdbcTemplate jdbc) {
        return new JdbcMetadataStore(jdbc);
    }

    @Bean
    static DataSourceInitializer tables(DataSource pool) {
        DataSourceInitializer tables = new DataSourceInitializer();
        tables.setDataSource(pool);
        tables.setDatabasePopulator(new ResourceDatabasePopulator(new ClassPathResource(TABLES)));
        return tables;
    }
}
