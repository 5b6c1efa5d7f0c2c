package dev.fbf.spring.database;

import dev.fbf.spring.Counters;
import dev.fbf.spring.CountersContract;
import dev.fbf.spring.SqlCounters;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Counters in embedded databases. */
@ParameterizedClass
@ValueSource(strings = {"jdbc:h2:mem:counters;DB_CLOSE_DELAY=-1", "jdbc:hsqldb:mem:counters"})
class EmbeddedCountersTest extends CountersContract {

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    private final String database;

    EmbeddedCountersTest(String database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(String database) {
        app = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.datasource.url=" + database)
                .run();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @Override
    protected Counters counters() {
        return app.getBean("counters", Counters.class);
    }

    @Override
    protected Counters ofAnotherScope() {
        return app.getBean("pages", Counters.class);
    }

    @Override
    protected Views views() {
        return app.getBean(Views.class);
    }

    @Override
    protected Counters afterARestart() {
        stop();
        start(database);
        return counters();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        SqlCounters counters(SqlCounters.Builder builder) {
            return builder.build();
        }

        @Bean
        SqlCounters pages(SqlCounters.Builder builder, JdbcClient jdbc) {
            jdbc.sql("CREATE TABLE IF NOT EXISTS page (name varchar(50) PRIMARY KEY, views bigint NOT NULL)")
                    .update();
            jdbc.sql("INSERT INTO page SELECT 'home', 0 FROM (VALUES (0)) WHERE NOT EXISTS (SELECT 1 FROM page)")
                    .update();
            return builder.scope("pages").table("page", "name", "views").build();
        }

        @Bean
        Views views(SqlCounters counters) {
            return new Views(counters);
        }
    }
}
