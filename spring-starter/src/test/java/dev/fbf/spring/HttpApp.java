package dev.fbf.spring;

import dev.fbf.spring.transaction.ConstantsOfTheTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application with a web server on a port of its own, and a client of it. */
public final class HttpApp implements AutoCloseable {

    /** For an application whose controllers fail on purpose: Tomcat prints no stack traces. */
    public static final String SILENT_FAILURES = "logging.level.org.apache.catalina.core.ContainerBase=off";

    /** In callers, keys, headers and bodies of requests: {@code .ci/run} looks for it in all that the tests have logged. */
    public static final String MARKER = "m4rk3d-";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final ConfigurableApplicationContext context;

    private HttpApp(ConfigurableApplicationContext context) {
        this.context = context;
    }

    public static HttpApp start(DataSource dataSource, Path directory, Class<?> beans, String... properties) {
        return start(dataSource, directory, List.of(beans), properties);
    }

    public static HttpApp start(
            DataSource dataSource, Path directory, Collection<Class<?>> beans, String... properties) {
        return new HttpApp(new SpringApplicationBuilder(Application.class)
                .sources(beans.toArray(Class<?>[]::new))
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "fbf.expected-operations-per-second=10",
                        "fbf.mode=filter",
                        "fbf.directory=" + directory,
                        ConstantsOfTheTest.UNREGISTERED) // several of a test class share the database
                .properties(properties)
                .initializers(applicationContext -> {
                    GenericApplicationContext made = (GenericApplicationContext) applicationContext;
                    made.registerBean(DataSource.class, () -> dataSource);
                    ConstantsOfTheTest.addTo(made);
                })
                .run());
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Sends some headers, each a name and a value. */
    public HttpResponse<String> post(String path, String... headers) throws IOException, InterruptedException {
        return CLIENT.send(postOf(path, headers), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> send(
            String method, String path, String key, String type, byte[] body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                .headers("Idempotency-Key", key, "Content-Type", type);
        return CLIENT.send(
                (headers.length == 0 ? request : request.headers(headers)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    public CompletableFuture<HttpResponse<String>> send(String path, String... headers) {
        return CLIENT.sendAsync(postOf(path, headers), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> get(String path, String accept) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(uri(path)).header("Accept", accept).build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    public static JsonNode json(HttpResponse<String> response) {
        return json(response.body());
    }

    public static JsonNode json(String text) {
        return JsonMapper.builder().build().readTree(text);
    }

    public int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    private HttpRequest postOf(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri(path)).header("X-Marker", MARKER).POST(HttpRequest.BodyPublishers.noBody());
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + port() + path);
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
