package dev.fbf.docs;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.FileSystemUtils;

/** What the code on the pages runs on: a PostgreSQL, the sample app and the application of README, each in a database of its own. */
final class Environment implements AutoCloseable {

    final Path directory;
    final DataSource sampleDatabase;
    final DataSource readmeDatabase;
    final RunningApp sample;
    final RunningApp readme;

    private final EmbeddedPostgres postgres;

    private Environment() throws Exception {
        directory = Files.createTempDirectory("fbf-docs");
        postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
        sampleDatabase = database("sample");
        readmeDatabase = database("readme");
        sample = RunningApp.ofSample(directory.resolve("sample"), postgres.getJdbcUrl("postgres", "sample"));
        readme = RunningApp.ofReadme(directory.resolve("readme"), postgres.getJdbcUrl("postgres", "readme"));
        JdbcClient.create(readmeDatabase)
                .sql("INSERT INTO page VALUES ('home', 0)")
                .update();
    }

    private DataSource database(String name) {
        JdbcClient.create(postgres.getPostgresDatabase())
                .sql("CREATE DATABASE " + name)
                .update();
        return postgres.getDatabase("postgres", name);
    }

    /** Starts it once for all test classes that ask for it in their constructor; it ends with the last of them. */
    static final class OfAllTests implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Environment.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.GLOBAL)
                    .computeIfAbsent(Environment.class, key -> start(), Environment.class);
        }

        private static Environment start() {
            try {
                return new Environment();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        readme.close();
        sample.close();
        postgres.close();
        FileSystemUtils.deleteRecursively(directory);
    }
}
