package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class EmbeddedPostgresAccuracyTest extends AccuracyContract {

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void start() throws IOException {
        postgres = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @Override
    String[] dataSourceProperties() {
        return new String[] {
            "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
            "spring.datasource.username=postgres"
        };
    }
}
