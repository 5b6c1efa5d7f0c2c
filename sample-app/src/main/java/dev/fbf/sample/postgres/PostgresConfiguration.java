package dev.fbf.sample.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PostgresConfiguration {

    @Bean
    @ConditionalOnLocalPostgres
    LocalPostgres localPostgres(@Value("${sample.data-directory}") String folder) throws IOException, SQLException {
        return LocalPostgres.start(Path.of(folder));
    }
}
