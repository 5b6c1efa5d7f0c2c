package dev.fbf.loadtest.torture.app;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application's entry. It ends when its standard input does: it must not outlive the process that started it. */
@SpringBootApplication(excludeName = "org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration")
public class TortureApplication {

    /** Of all guarded methods. */
    public static final String SCOPE = "page-views";

    public static void main(String[] args) {
        haltWithParent();
        SpringApplication application = new SpringApplication(TortureApplication.class);
        application.setDefaultProperties(Map.of("fbf.mode", "filter"));
        application.run(args);
    }

    public static void haltWithParent() {
        Thread watch = new Thread(TortureApplication::haltAtEndOfInput, "watch-parent");
        watch.setDaemon(true);
        watch.start();
    }

    private static void haltAtEndOfInput() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // as good as the end
        }
        Runtime.getRuntime().halt(2);
    }
}
