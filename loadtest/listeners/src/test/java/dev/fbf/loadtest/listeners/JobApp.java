package dev.fbf.loadtest.listeners;

import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A replica that runs the job of the page. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
@Import(InvoiceJob.class)
class JobApp {

    public static void main(String[] arguments) {
        new SpringApplicationBuilder(JobApp.class)
                .properties(Map.of(
                        "spring.artemis.mode", "native",
                        "spring.datasource.username", "postgres",
                        "spring.main.banner-mode", "off"))
                .run(arguments);
    }
}
