package dev.fbf.spring.jdbc;

import dev.fbf.spring.FbfProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** fbf's own tables. */
@Configuration(proxyBeanMethods = false)
public final class SchemaConfiguration {

    /** After the application's own: Flyway refuses to begin in a schema that has tables, and fbf's go beside any. */
    @Bean
    @DependsOnDatabaseInitialization
    SchemaMigration fbfSchemaMigration(FbfProperties properties) {
        return new SchemaMigration(properties.schema());
    }
}
