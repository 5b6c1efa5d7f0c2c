package dev.fbf.docs;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs each block of code on each page, by its language. A block without one is a failure, as is one of an unknown language. */
@ExtendWith(Environment.OfAllTests.class)
@TestInstance(PER_CLASS)
class BlocksTest {

    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency>\\s*<groupId>(.*?)</groupId>\\s*<artifactId>(.*?)</artifactId>\\s*<version>(.*?)</version>\\s*(?:<scope>test</scope>\\s*)?</dependency>");
    private static final Pattern PROJECT = Pattern.compile("(?s)</parent>.*?<artifactId>([^<]+)</artifactId>");

    @TempDir
    private Path directory;

    private final Environment environment;

    BlocksTest(Environment environment) {
        this.environment = environment;
    }

    static Stream<Page.Code> blocks() {
        return Page.all().stream().flatMap(page -> page.blocks().stream());
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void works(Page.Code block) throws Exception {
        switch (block.language()) {
            case "console" -> session(block);
            case "haproxy" -> haproxy(block);
            case "java" -> new JavaCode(block).compile(directory);
            case "json" -> problem(block);
            case "kotlin" -> dependencies(block);
            case "nginx" -> nginx(block);
            case "properties" -> properties(block);
            case "sh" -> commands(block);
            case "sql" -> statements(block);
            case "text" -> picture(block);
            case "xml" -> dependency(block);
            default -> fail("%s: no test knows the language of this block", block);
        }
    }

    /** Commands after {@code $}, each with what it prints. */
    private void session(Page.Code block) throws Exception {
        Deque<String> lines = block.text().lines().collect(toCollection(ArrayDeque::new));
        while (!lines.isEmpty()) {
            assertThat(lines.peek()).startsWith("$ curl ");
            String command = lines.pop()
                    .replace("$ curl ", Tool.find("curl") + " -sS ")
                    .replace("localhost:8080", "localhost:" + environment.readme.port());
            StringBuilder expected = new StringBuilder();
            while (!lines.isEmpty() && !lines.peek().startsWith("$ ")) {
                expected.append(lines.pop());
            }
            assertThat(Tool.run(List.of("/bin/sh", "-c", command))).as(command).isEqualTo(expected.toString());
        }
    }

    private static void commands(Page.Code block) {
        assertThat(block.text().lines()).isNotEmpty().allSatisfy(line -> {
            if (line.startsWith("docker ")) {
                assertThat(line).matches("docker run .* postgres:17");
            } else {
                MavenCommand.check(line.replaceAll(" +#.*", ""));
            }
        });
    }

    /** Lines of a Gradle build: fbf's has the version of the build, and the others have the versions of Spring Boot's BOM. */
    private static void dependencies(Page.Code block) throws Exception {
        String poms = Files.readString(Page.REPOSITORY.resolve("pom.xml"))
                + Files.readString(Page.REPOSITORY.resolve("sample-app/pom.xml"));
        assertThat(block.text().lines()).isNotEmpty().allSatisfy(line -> {
            MatchResult artifact = Pattern.compile("(?:implementation|runtimeOnly)\\(\"([^:]+):([^:]+)(?::(.+))?\"\\)")
                    .matcher(line)
                    .results()
                    .findFirst()
                    .orElseThrow();
            assertThat(poms).contains("<artifactId>" + artifact.group(2) + "</artifactId>");
            if (artifact.group(3) != null) {
                assertThat(poms).contains("<version>" + artifact.group(3) + "</version>");
            }
        });
    }

    private static void dependency(Page.Code block) throws Exception {
        MatchResult dependency =
                DEPENDENCY.matcher(block.text()).results().findFirst().orElseThrow();
        String parent = Files.readString(Page.REPOSITORY.resolve("pom.xml"));
        assertThat(parent)
                .contains("<groupId>" + dependency.group(1)
                        + "</groupId>\n  <artifactId>fbf-parent</artifactId>\n  <version>" + dependency.group(3)
                        + "</version>");
        try (Stream<Path> files = Files.walk(Page.REPOSITORY, 3)) {
            assertThat(files.filter(file -> file.endsWith("pom.xml")))
                    .anySatisfy(pom -> assertThat(PROJECT.matcher(Files.readString(pom))
                                    .results()
                                    .findFirst())
                            .hasValueSatisfying(
                                    name -> assertThat(name.group(1)).isEqualTo(dependency.group(2))));
        }
    }

    private static void properties(Page.Code block) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(block.text()));
        properties.forEach((name, value) -> Setting.check(name + "=" + value));
    }

    /** Nothing of it stays: what it does is rolled back. A named parameter is left open. */
    private void statements(Page.Code block) throws Exception {
        try (Connection connection = environment.sampleDatabase.getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("DROP TABLE page"); // a page creates it
            for (String statement :
                    Pattern.compile(";\\s*").splitAsStream(block.text()).toList()) {
                boolean open = statement.contains(":");
                try (PreparedStatement prepared =
                        connection.prepareStatement(NamedParameterUtils.parseSqlStatementIntoString(statement))) {
                    if (open) {
                        assertThat(prepared.getParameterMetaData().getParameterCount())
                                .isPositive();
                    } else {
                        prepared.execute();
                    }
                }
            }
            if (block.text().contains("SET SCHEMA")) {
                assertThat(tablesOfFbf(connection))
                        .as("tables that are not moved")
                        .isEmpty();
            }
            connection.rollback();
        }
    }

    private static List<String> tablesOfFbf(Connection connection) {
        return JdbcClient.create(new SingleConnectionDataSource(connection, true))
                .sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE 'fbf%'")
                .query(String.class)
                .list();
    }

    /** What the application of README answers while another request applies the same operation. */
    private void problem(Page.Code block) throws Exception {
        JsonMapper mapper = JsonMapper.builder().build();
        JsonNode expected = mapper.readTree(block.text());
        assertThat(expected.path("title").asString()).isEqualTo("Operation in progress");
        String path = expected.path("instance").asString();
        try (Connection connection = environment.readmeDatabase.getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("LOCK TABLE fbf_counter");
            CompletableFuture<?> first = CompletableFuture.runAsync(() -> post(path));
            Awaitility.await().until(this::aTransactionWaits);
            assertThat(mapper.readTree(environment.readme.post(path, "problem").body()))
                    .isEqualTo(expected);
            connection.rollback();
            first.get(1, TimeUnit.MINUTES);
        }
    }

    private void post(String path) {
        try {
            environment.readme.post(path, "problem");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private boolean aTransactionWaits() {
        return JdbcClient.create(environment.readmeDatabase)
                        .sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
                        .query(Long.class)
                        .single()
                > 0;
    }

    private void haproxy(Page.Code block) throws Exception {
        String backend = block.text().startsWith("backend") ? "" : "backend application\n";
        Path file = Files.writeString(directory.resolve("haproxy.cfg"), """
                defaults
                  mode http
                  timeout connect 2s
                  timeout client 30s
                  timeout server 30s
                  default-server init-addr none
                frontend clients
                  bind 127.0.0.1:1
                  default_backend application
                """ + backend + block.text());
        Tool.run(List.of(Tool.find("haproxy"), "-c", "-f", file.toString()));
    }

    private void nginx(Page.Code block) throws Exception {
        Path file = Files.writeString(
                directory.resolve("nginx.conf"),
                "pid %1$s/nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path %1$s; %2$s }"
                        .formatted(directory, block.text()));
        Tool.run(List.of(Tool.find("nginx"), "-t", "-q", "-c", file.toString()));
    }

    /** A picture made of characters, or a format: nothing in it can be run. */
    private static void picture(Page.Code block) {
        assertThat(block.text().lines())
                .as("%s: a command or statement has its language", block)
                .noneMatch(line -> line.matches(" *(\\$ |mvn |curl |SELECT |UPDATE |INSERT |import ).*"));
    }
}
