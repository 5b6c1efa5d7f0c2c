package dev.fbf.sample.postgres;

import java.io.IOException;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PostgresConfiguration {

    @Bean
    @Conditional(NoDatabaseGiven.class)
    LocalPostgres localPostgres(@Value("${sample.data-directory}") String folder) throws IOException {
        return LocalPostgres.start(Path.of(folder));
    }

    static final class NoDatabaseGiven extends NoneNestedConditions {

        NoDatabaseGiven() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("spring.datasource.url")
        static final class DatabaseGiven {}
    }
}
