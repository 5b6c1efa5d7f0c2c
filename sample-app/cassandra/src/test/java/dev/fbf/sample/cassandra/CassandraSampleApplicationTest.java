package dev.fbf.sample.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.process.cassandra.CassandraCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample app with its own node, as a reader of README starts it. */
@Timeout(180)
class CassandraSampleApplicationTest {

    @TempDir
    private Path directory;

    @Test
    void aRetryChangesNothingAndTheUnguardedCounterCountsIt() throws Exception {
        Assumptions.assumeTrue(CassandraCluster.jdk().isPresent(), "Cassandra 5 needs a JDK 17, and there is none");
        SpringApplication application = new SpringApplication(CassandraSampleApplication.class);
        application.setDefaultProperties(LocalCassandra.start(directory.toString()));
        try (ConfigurableApplicationContext context = application.run("--server.port=0")) {
            int port = Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer())
                    .getPort();

            send(port, "POST", "/pages/home/views");
            send(port, "POST", "/pages/home/views");
            send(port, "POST", "/unguarded/pages/home/views");
            send(port, "POST", "/unguarded/pages/home/views");

            assertThat(send(port, "GET", "/pages/home").body())
                    .isEqualTo("{\"page\":\"home\",\"views\":1,\"unguardedViews\":2}");
            assertThat(send(port, "GET", "/").body()).contains("<html");
            assertThat(send(port, "GET", "/faults").statusCode()).isEqualTo(200);
            assertThat(send(port, "GET", "/kill").statusCode()).isEqualTo(404);
            assertThat(send(port, "GET", "/actuator").body()).doesNotContain("fbf");
        }
    }

    private static HttpResponse<String> send(int port, String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(method, BodyPublishers.noBody())
                .header("Idempotency-Key", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"")
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}
