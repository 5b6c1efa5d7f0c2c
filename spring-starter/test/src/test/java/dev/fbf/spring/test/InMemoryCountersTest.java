package dev.fbf.spring.test;

import dev.fbf.spring.Counters;
import dev.fbf.spring.CountersContract;
import dev.fbf.spring.SqlCounters;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Counters of other databases, and of none, keep the contract of all counters while their context is open. */
@ParameterizedClass
@ValueSource(
        strings = {
            "spring.datasource.url=jdbc:h2:mem:counters",
            "spring.datasource.url=jdbc:hsqldb:mem:counters",
            "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
class InMemoryCountersTest extends CountersContract {

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    @SuppressWarnings("UnusedVariable") // names the invocation
    private final String database;

    InMemoryCountersTest(String database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(String database) {
        app = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(database)
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

    /** Memory ends with the context: there is no restart that it could survive. */
    @Override
    protected Counters afterARestart() {
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
        SqlCounters pages(SqlCounters.Builder builder, ObjectProvider<JdbcClient> jdbc) {
            jdbc.ifAvailable(database -> {
                database.sql("CREATE TABLE page (name varchar(50) PRIMARY KEY, views bigint NOT NULL)")
                        .update();
                database.sql("INSERT INTO page VALUES ('home', 0)").update();
            });
            return builder.scope("pages").table("page", "name", "views").build();
        }

        @Bean
        Views views(SqlCounters counters) {
            return new Views(counters);
        }
    }
}
