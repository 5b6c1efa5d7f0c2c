package dev.fbf.docs;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** An application on a free port of this machine. The tables are those of the sample app. */
final class RunningApp implements AutoCloseable {

    private static final String CASSANDRA =
            "org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration";

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    private RunningApp(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** The application whose Java code is on README, with nothing configured but the database. */
    static RunningApp ofReadme(Path directory, String database) throws Exception {
        Page.Code code = Page.of("README.md").blocks().stream()
                .filter(block -> block.language().equals("java"))
                .findFirst()
                .orElseThrow();
        Path classes = Files.createDirectories(directory.resolve("classes"));
        new JavaCode(code).compile(classes);
        ClassLoader loader =
                URLClassLoader.newInstance(new URL[] {classes.toUri().toURL()});
        return start(loader.loadClass("readme.Application"), directory, database, "--spring.config.name=none");
    }

    /** With decisions of operators permitted, which some pages are about. */
    static RunningApp ofSample(Path directory, String database) throws Exception {
        return start(
                Class.forName("dev.fbf.sample.SampleApplication"),
                directory,
                database,
                "--management.endpoint.fbf.access=unrestricted",
                "--management.endpoint.fbfoperations.access=unrestricted",
                "--management.endpoints.web.exposure.include=health,fbf,fbfoperations,metrics");
    }

    private static RunningApp start(Class<?> application, Path directory, String database, String... arguments) {
        return new RunningApp(new SpringApplicationBuilder(application)
                .resourceLoader(new DefaultResourceLoader(application.getClassLoader()))
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "logging.level.root=warn",
                        "spring.autoconfigure.exclude=" + CASSANDRA)
                .run(Stream.concat(
                                Stream.of(arguments),
                                Stream.of(
                                        "--server.port=0",
                                        "--spring.datasource.url=" + database,
                                        "--fbf.mode=filter", // the pages show the directory
                                        "--fbf.directory=" + directory.resolve("fbf")))
                        .toArray(String[]::new)));
    }

    <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    String port() {
        return context.getEnvironment().getRequiredProperty("local.server.port");
    }

    HttpResponse<String> post(String path, String key) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path))
                        .header("Idempotency-Key", key)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    String get(String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Override
    public void close() {
        context.close();
    }
}
