package dev.fbf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.core.filter.ChangedFile;
import dev.fbf.db.FbfSchema;
import dev.fbf.spring.ChildJvm;
import dev.fbf.spring.Counter;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Answers;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What an application prints that cannot start: what is wrong, and what to do. */
@Tag("slow")
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class FailedStartTest {

    @TempDir
    private Path directory;

    private DataSource database;

    @BeforeEach
    void use(DataSource dataSource) {
        database = dataSource;
    }

    /** Linux lets nobody make a directory there, not even root. */
    @Test
    void aDirectoryThatItHasNoPermissionFor(CapturedOutput output) {
        Path forbidden = Path.of("/sys/fbf-of-a-test");
        assumeTrue(isForbidden(forbidden));

        assertFails(
                output,
                "The directory " + forbidden + " cannot be created or written to: ",
                "Give this user permission to write there, free some space if the disk is full, or choose another"
                        + " directory (property fbf.directory).",
                "fbf.directory=" + forbidden);
    }

    @Test
    void aFileOfANewerVersion(CapturedOutput output) throws Exception {
        start().close();
        Path file = directory.resolve("counter~1.fbf");
        ChangedFile.toNewerFormat(file);

        assertFails(
                output, "The filter's file " + file + " has format ", "Run the newer version of fbf that wrote it.");
    }

    @Test
    void aDatabaseWithoutTheTables(CapturedOutput output, EmbeddedPostgres postgres) {
        database = PostgresExtension.newDatabase(postgres, "empty");

        assertFails(
                output,
                "The database of the transaction manager transactionManager lacks fbf's tables.",
                "with the scripts in classpath:dev/fbf/db/migration.",
                "fbf.schema.migrate=false");
        assertThat(output).contains("with fbf.schema.migrate=true").contains("fbf_schema_history");
    }

    @Test
    void aDatabaseWhoseTablesWereDroppedAndTheirHistoryWasNot(CapturedOutput output, EmbeddedPostgres postgres) {
        database = PostgresExtension.newDatabase(postgres, "dropped");
        FbfSchema.migrate(database, null);
        JdbcClient jdbc = JdbcClient.create(database);
        jdbc.sql("INSERT INTO fbf_counter VALUES ('views', 7)").update();
        jdbc.sql("DROP TABLE fbf_witness, fbf_ledger, fbf_horizon, fbf_response, fbf_lease, fbf_scope")
                .update();

        assertFails(
                output,
                "The database of the transaction manager transactionManager lacks fbf tables, though fbf_schema_history"
                        + " lists them: ",
                "If they are lost, stop all nodes, and drop their history with DROP TABLE fbf_schema_history: at the"
                        + " next start");

        jdbc.sql("DROP TABLE fbf_schema_history").update();
        start().close();
        assertThat(jdbc.sql("SELECT value FROM fbf_counter").query(Long.class).single())
                .isEqualTo(7);
    }

    @Test
    void aDatabaseUserThatMayNotMakeTheTables(CapturedOutput output, EmbeddedPostgres postgres) {
        asVisitor(
                postgres,
                owners -> assertFails(
                        output,
                        "The database has refused to create, update or use fbf's tables: no permission to create tables in"
                                + " schema public.",
                        "set fbf.schema.migrate=false and let a user with the necessary privileges create them with the"
                                + " scripts in classpath:dev/fbf/db/migration."));
    }

    @Test
    void aDatabaseUserThatMayNotWriteTheTables(CapturedOutput output, EmbeddedPostgres postgres) {
        asVisitor(postgres, owners -> {
            FbfSchema.migrate(owners, null);
            JdbcClient.create(owners)
                    .sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO visitor")
                    .update();
            assertFails(
                    output,
                    "The database has refused to create, update or use fbf's tables: INSERT, UPDATE not granted on \"public\".fbf_witness.",
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA … TO ….",
                    "fbf.schema.migrate=false");
        });
    }

    @Test
    void rowLevelSecurityThatHidesOperations(CapturedOutput output, EmbeddedPostgres postgres) {
        asVisitor(postgres, owners -> {
            FbfSchema.migrate(owners, null);
            JdbcClient jdbc = JdbcClient.create(owners);
            jdbc.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO visitor").update();
            for (String table : List.of("fbf_schema_history", "fbf_witness")) {
                jdbc.sql("ALTER TABLE " + table + " ENABLE ROW LEVEL SECURITY").update();
                assertFails(
                        output,
                        "The database has refused to create, update or use fbf's tables: row-level security is active on \"public\"."
                                + table,
                        "ALTER TABLE … DISABLE ROW LEVEL SECURITY.");
                jdbc.sql("ALTER TABLE " + table + " DISABLE ROW LEVEL SECURITY").update();
            }
        });
    }

    @Test
    void tablesInALaterSchemaOfTheSearchPath(CapturedOutput output, EmbeddedPostgres postgres) {
        database = PostgresExtension.newDatabase(postgres, "later_schema");
        FbfSchema.migrate(database, null);
        JdbcClient.create(database)
                .sql("CREATE SCHEMA app; ALTER DATABASE later_schema SET search_path = app, public")
                .update();

        assertFails(
                output,
                "fbf's tables are in the schema public, and the search path begins with the schema app, where new"
                        + " tables would forget all operations and counters.",
                "If fbf's tables are in another schema, set fbf.schema.name to it.");
        start("fbf.schema.name=public").close();
        start("fbf.schema.name=app").close();
        start().close();
    }

    @Test
    void aReadOnlyDatabaseWithoutTheTables(CapturedOutput output, EmbeddedPostgres postgres) {
        database = PostgresExtension.newDatabase(postgres, "read_only");
        JdbcClient.create(database)
                .sql("ALTER DATABASE read_only SET default_transaction_read_only = on")
                .update();

        assertFails(
                output,
                "The database has refused to create, update or use fbf's tables: ",
                "A read-only server needs its primary in the URL");
    }

    @Test
    void anEventTriggerThatForbidsTables(CapturedOutput output, EmbeddedPostgres postgres) {
        database = PostgresExtension.newDatabase(postgres, "event_trigger");
        JdbcClient.create(database).sql("""
                CREATE FUNCTION forbid() RETURNS event_trigger LANGUAGE plpgsql
                  AS $$ BEGIN RAISE EXCEPTION 'ask the administrators'; END $$;
                CREATE EVENT TRIGGER forbid ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION forbid()
                """).update();

        assertFails(
                output,
                "The database has refused to create, update or use fbf's tables: ERROR: ask the administrators.",
                "set fbf.schema.migrate=false and let a user with the necessary privileges create them");
    }

    @Test
    void aDatabaseThatIsAwayAndItsTablesAreNotMigrated() {
        try (HikariDataSource away = new HikariDataSource()) {
            away.setJdbcUrl("jdbc:postgresql://localhost:1/away");
            away.setConnectionTimeout(250);
            database = away;

            assertThatException()
                    .isThrownBy(() -> start().close())
                    .withStackTraceContaining("Connection to localhost:1 refused");
            start("fbf.schema.migrate=false").close();
        }
    }

    @Test
    void aDatabaseWithoutADialect(CapturedOutput output) throws SQLException {
        databaseIs("Oracle");

        assertFails(
                output,
                "fbf does not support Oracle.",
                "Use PostgreSQL, MariaDB, MySQL, H2 or HSQLDB; H2 in memory will do for tests. Or disable the guard"
                        + " with fbf.enabled=false: then retries are applied again, and SqlCounters cannot be used.");
    }

    @Test
    void filterModeOnAnotherDatabaseThanPostgres(CapturedOutput output) throws SQLException {
        databaseIs("H2");

        assertFails(
                output,
                "Filter mode requires PostgreSQL; found H2.",
                "Use ledger mode, the default: omit fbf.mode=filter and fbf.scopes.*.mode=filter for the scopes of this"
                        + " database; or use PostgreSQL.");
    }

    private void databaseIs(String product) throws SQLException {
        database = mock(Answers.RETURNS_DEEP_STUBS);
        when(database.getConnection().getWarnings()).thenReturn(null); // not one after another
        DatabaseMetaData metaData = database.getConnection().getMetaData();
        when(metaData.getDatabaseProductName()).thenReturn(product);
        when(metaData.getDatabaseProductVersion()).thenReturn("1");
    }

    /** As a JDK to come does, where fbf's jar was repackaged without its classes for newer JDKs. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_24)
    void aJdkThatDeniesTheMemory(EmbeddedPostgres postgres) throws Exception {
        PostgresExtension.newDatabase(postgres, "unused");
        Process process = ChildJvm.of(
                        Stream.concat(ChildJvm.strict().stream(), Stream.of("-Ddev.fbf.memory=chronicle"))
                                .toList(),
                        ChildJvm.wholeClasspath(),
                        Started.class,
                        postgres.getJdbcUrl("postgres", "unused"))
                .start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("APPLICATION FAILED TO START")
                .containsPattern("Description:\\s+fbf cannot use off-heap memory on JDK "
                        + Pattern.quote(System.getProperty("java.version")) + " in ")
                .containsPattern("Action:\\s+On JDK 22 or newer, use the jar fbf-core-offheap as it is published");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    static final class Started {

        public static void main(String[] arguments) {
            new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .properties("spring.main.banner-mode=off", "spring.datasource.url=" + arguments[0])
                    .run()
                    .close();
        }
    }

    /** In a database of its own the application's user owns nothing; another one, that is handed on, does. */
    private void asVisitor(EmbeddedPostgres postgres, Consumer<DataSource> test) {
        DataSource owners = PostgresExtension.newDatabase(postgres, "restricted");
        JdbcClient jdbc = JdbcClient.create(owners);
        jdbc.sql("CREATE ROLE visitor LOGIN").update();
        try {
            database = postgres.getDatabase("visitor", "restricted");
            test.accept(owners);
        } finally {
            jdbc.sql("DROP OWNED BY visitor").update();
            jdbc.sql("DROP ROLE visitor").update();
        }
    }

    private void assertFails(CapturedOutput output, String description, String action, String... properties) {
        assertThatException().isThrownBy(() -> start(properties).close());

        assertPrints(output, description, action);
    }

    private static void assertPrints(CapturedOutput output, String description, String action) {
        String printed = output.getAll();
        assertThat(printed).contains("APPLICATION FAILED TO START");
        int actionAt = printed.lastIndexOf("Action:");
        assertThat(printed.substring(printed.lastIndexOf("Description:"), actionAt))
                .contains(description);
        assertThat(printed.substring(actionAt)).contains(action);
    }

    private ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "fbf.mode=filter",
                        "fbf.directory=" + directory,
                        "fbf.expected-operations-per-second=10")
                .properties(properties)
                .initializers(
                        context -> ((GenericApplicationContext) context).registerBean(DataSource.class, () -> database))
                .run();
    }

    private static boolean isForbidden(Path path) {
        try {
            Files.createDirectory(path);
            Files.delete(path);
            return false;
        } catch (IOException e) {
            return e instanceof AccessDeniedException
                    || String.valueOf(e.getMessage()).contains("not permitted");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Counter.class)
    static class Application {}
}
