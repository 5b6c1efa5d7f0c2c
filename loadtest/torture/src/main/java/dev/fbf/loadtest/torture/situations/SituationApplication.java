package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.app.TortureApplication;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableAsync;

/** The application's entry. */
@EnableAsync
@SpringBootApplication(excludeName = "org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration")
public class SituationApplication {

    public static void main(String[] args) {
        TortureApplication.haltWithParent();
        SpringApplication.run(SituationApplication.class, args);
    }
}
