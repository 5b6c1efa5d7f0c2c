package dev.fbf.sample.cassandra;

import java.io.IOException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The entry of the sample app on Cassandra: starts a node, unless {@code --spring.cassandra.contact-points} names one. */
@SpringBootApplication(scanBasePackages = {"dev.fbf.sample.cassandra", "dev.fbf.sample.demo", "dev.fbf.sample.fault"})
class CassandraSampleApplication {

    public static void main(String[] args) throws IOException, InterruptedException {
        SpringApplication application = new SpringApplication(CassandraSampleApplication.class);
        if (String.join(" ", args).contains("--spring.cassandra.contact-points=")
                || System.getenv("SPRING_CASSANDRA_CONTACT_POINTS") != null) {
            application.run(args);
        } else {
            application.setDefaultProperties(LocalCassandra.start("data"));
            application.run(args);
        }
    }
}
