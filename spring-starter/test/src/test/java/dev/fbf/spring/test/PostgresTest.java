package dev.fbf.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.SqlCounters;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** With PostgreSQL all is as in production, though this module is on the class path. */
@Tag("slow")
class PostgresTest {

    @Test
    void operationsAreInTheLedger() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start();
                ConfigurableApplicationContext app = new SpringApplicationBuilder(Application.class, Stock.class)
                        .web(WebApplicationType.NONE)
                        .properties(
                                "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                                "spring.sql.init.mode=always",
                                "spring.sql.init.data-locations=classpath:stock.sql",
                                "fbf.mode=ledger",
                                "fbf.directory=target/postgres-test")
                        .run()) {
            Stock stock = app.getBean(Stock.class);
            stock.add("delivery", "bolt");
            assertThatExceptionOfType(DuplicateOperationException.class)
                    .isThrownBy(() -> stock.add("delivery", "bolt"));
            app.getBean(SqlCounters.class).increment(IdempotencyKey.of("key"), "home", 1);

            assertThat(app.getBean(JdbcClient.class)
                            .sql("SELECT count(*) FROM fbf_ledger")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
