package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.app.TortureApplication;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.EnableAsync;

/** The application's entry. */
@EnableAsync
@EnableResilientMethods(proxyTargetClass = true)
@SpringBootApplication(excludeName = "org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration")
public class SituationApplication {

    @Bean
    FactoryBean<Pages> pages(JdbcClient jdbc) {
        return new Pages.Factory(jdbc);
    }

    public static void main(String[] args) {
        TortureApplication.haltWithParent();
        SpringApplication.run(SituationApplication.class, args);
    }
}
