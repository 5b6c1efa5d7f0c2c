package dev.fbf.spring.cassandra;

import static java.util.Objects.requireNonNull;

import dev.fbf.spring.cassandra.app.CountingApp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A node of {@link CountingApp}, and a client of it. */
record CountingNode(ConfigurableApplicationContext context) implements AutoCloseable {

    private static final HttpClient http = HttpClient.newHttpClient();

    /**
     * @param port where it finds Cassandra
     * @param more settings; one without a value is not set
     */
    static CountingNode start(int port, String keyspace, String... more) {
        Map<String, Object> properties = new HashMap<>(Map.of(
                "server.port", "0",
                "spring.main.banner-mode", "off",
                "spring.cassandra.contact-points", "127.0.0.1:" + port,
                "spring.cassandra.local-datacenter", "datacenter1",
                "spring.cassandra.keyspace-name", keyspace,
                "spring.cassandra.request.timeout", "20s",
                "management.endpoints.web.exposure.include", "health",
                "management.endpoint.health.show-details", "always",
                // where the other starter's tests are on the class path, their applications do without the actuator
                "tests.all-libraries", "true",
                "fbf.retry-window", "2m"));
        properties.put("logging.level.org.apache.catalina.core.ContainerBase", "off"); // handlers fail on purpose
        for (String setting : more) {
            String[] nameAndValue = setting.split("=", 2);
            properties.put(nameAndValue[0], nameAndValue[1]);
        }
        properties.values().removeIf(""::equals);
        SpringApplication application = new SpringApplication(CountingApp.class);
        application.setDefaultProperties(properties);
        return new CountingNode(application.run());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Those of the bean with this name. */
    CassandraCounters counters(String name) {
        return context.getBean(name, CassandraCounters.class);
    }

    /**
     * @param key none if it is empty
     */
    HttpResponse<String> post(String path, String key) throws IOException, InterruptedException {
        HttpRequest.Builder request = to(path).POST(BodyPublishers.noBody());
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", '"' + key + '"');
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> health() throws IOException, InterruptedException {
        return http.send(to("/actuator/health").build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder to(String path) {
        int port = requireNonNull(((WebServerApplicationContext) context).getWebServer())
                .getPort();
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
    }

    @Override
    public void close() {
        context.close();
    }
}
