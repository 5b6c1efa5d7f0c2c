package dev.fbf.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that start applications of their own: processes that come one after the other, and nodes beside each other. */
@ExtendWith(PostgresExtension.class)
@SuppressWarnings("NullAway.Init") // set before the tests
public abstract class ProcessesTest {

    @TempDir
    protected Path directory;

    protected DataSource dataSource;
    protected CountedTable counted;

    @BeforeEach
    void begin(DataSource postgres) {
        dataSource = postgres;
        counted = CountedTable.makeIn(postgres);
        JdbcClient.create(postgres)
                .sql("DO $$ BEGIN IF to_regclass('fbf_lease') IS NOT NULL THEN DELETE FROM fbf_lease; END IF; END $$")
                .update();
    }

    /** Starts a process with a directory of its own. */
    protected final CountingApp start(String node, String... properties) {
        return start(dataSource, node, properties);
    }

    protected final CountingApp start(DataSource database, String node, String... properties) {
        return CountingApp.start(database, directory.resolve(node), properties);
    }

    /** Leaves the directory of a process as it is now to another one. */
    protected final void copy(String from, String to) {
        CountingApp.copy(directory.resolve(from), directory.resolve(to));
    }

    /** Leaves the directory of a process that is killed now to the next one, as if it was the same. */
    protected final void die(String from, String to) {
        copy(from, to);
        Path lock = directory.resolve(to).resolve("fbf.lock");
        try {
            Files.writeString(lock, "1 " + Files.getAttribute(lock, "unix:ino"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
