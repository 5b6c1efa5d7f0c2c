package dev.fbf.spring.database;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.process.Directories;
import dev.fbf.process.MariaDbProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The databases of a MariaDB server for all tests of a run. Where MariaDB is not installed the tests are skipped, unless {@code
 * FBF_MARIADB_REQUIRED} is set.
 */
record MariaDb(MariaDbProcess process, Path directory) implements AutoCloseable {

    private static final String PASSWORD = "secret";

    /** Gives the server to constructors of tests. */
    static final class Extension implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == MariaDb.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            boolean required = System.getenv("FBF_MARIADB_REQUIRED") != null;
            assumeTrue(MariaDbProcess.isInstalled() || required, "skipped: MariaDB is not installed");
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create("mariadb"))
                    .computeIfAbsent(MariaDb.class, key -> start(), MariaDb.class);
        }
    }

    private static MariaDb start() {
        try {
            Path directory = Files.createTempDirectory("fbf-mariadb");
            MariaDb started =
                    new MariaDb(MariaDbProcess.startNew(directory, "--innodb-buffer-pool-size=32M"), directory);
            JdbcClient root = JdbcClient.create(started.root("mariadb"));
            root.sql("CREATE USER app IDENTIFIED BY '" + PASSWORD + "'").update();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The server's administrator. */
    DataSource root(String driver) {
        return new DriverManagerDataSource(process.url(driver, ""), "root", "");
    }

    /** A database, which is created if it does not exist, as a user that may do everything there. */
    DataSource database(String driver, String name) {
        JdbcClient root = JdbcClient.create(root("mariadb"));
        root.sql("CREATE DATABASE IF NOT EXISTS " + name).update();
        root.sql("GRANT ALL ON " + name + ".* TO app").update();
        return new DriverManagerDataSource(process.url(driver, name), "app", PASSWORD);
    }

    @Override
    public void close() throws IOException {
        process.close();
        Directories.delete(directory);
    }
}
