package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** An application with a schema for each tenant, in which none of fbf's tables are. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
class SchemaPerTenantTest {

    private static final String OWN = "fbf's \"own\" Schema";

    private final Mode mode;

    @TempDir
    private Path directory;

    private static DataSource database;
    private static JdbcClient jdbc;

    private TenantDataSource tenants;

    SchemaPerTenantTest(Mode mode) {
        this.mode = mode;
    }

    /** Gives connections the schemas of the tenant that is served, as Hibernate does: fbf's own threads' as well. */
    private static final class TenantDataSource extends DelegatingDataSource {

        private volatile String tenant = "tenant_x";

        TenantDataSource(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET search_path = " + tenant);
            }
            return connection;
        }
    }

    @BeforeAll
    static void makeDatabase(EmbeddedPostgres postgres) {
        database = PostgresExtension.newDatabase(postgres, "tenants");
        jdbc = JdbcClient.create(database);
    }

    @BeforeEach
    void makeTenants() {
        jdbc.sql("""
                DO $$ DECLARE name text; BEGIN
                  FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' LOOP
                    EXECUTE format('DROP SCHEMA %I CASCADE', name);
                  END LOOP;
                END $$;
                CREATE SCHEMA public;
                """).update();
        for (String tenant : List.of("tenant_x", "tenant_y")) {
            jdbc.sql("""
                    CREATE SCHEMA :tenant;
                    CREATE TABLE :tenant.counted (value bigint NOT NULL);
                    INSERT INTO :tenant.counted VALUES (0);
                    CREATE TABLE :tenant.page (name text PRIMARY KEY, views bigint NOT NULL);
                    INSERT INTO :tenant.page VALUES ('home', 0);
                    """.replace(":tenant", tenant)).update();
        }
        tenants = new TenantDataSource(database);
    }

    @Test
    void eachGuardedCallCountsOnceInTheTenantsSchema() throws Exception {
        try (CountingApp app = start("one", "fbf.schema.name=" + OWN)) {
            assertThat(app.status.areReady()).isTrue();
            for (String time : List.of("counted", "counted before: a")) {
                assertThat(app.counter.count("a")).isEqualTo(time);
            }
            tenants.tenant = "tenant_y";
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.count("b")).isEqualTo("counted");
            assertThat(app.counter.countTransactionally("c")).isEqualTo("counted");
            assertThat(app.counter.countTransactionally("c")).isEqualTo("counted before: c");
            assertThat(app.counter.countInSqlOnly("d")).isEqualTo("counted");
            assertThat(app.counter.countInSqlOnly("d")).isEqualTo("counted before: d");
            app.transaction.executeWithoutResult(status -> {
                assertThat(app.counter.count("e")).isEqualTo("counted");
                assertThat(app.counter.count("f")).isEqualTo("counted");
            });
            assertThat(app.counter.count("f")).isEqualTo("counted before: f");
        }
        assertThat(counted("tenant_x")).isEqualTo(1);
        assertThat(counted("tenant_y")).isEqualTo(5);
        assertThat(schemasOfFbfsTables()).containsExactly(OWN);
    }

    @Test
    void withoutThePropertyTheSchemaOfTheStartIsThatOfAllLaterCalls() {
        try (CountingApp app = start("one")) {
            assertThat(app.counter.count("a")).isEqualTo("counted");
            tenants.tenant = "tenant_y";
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.count("b")).isEqualTo("counted");
        }
        assertThat(counted("tenant_x")).isEqualTo(1);
        assertThat(counted("tenant_y")).isEqualTo(1);
        assertThat(schemasOfFbfsTables()).containsExactly("tenant_x");
    }

    @Test
    void countersOfTheApplicationsFollowTheTenantInItsTransactionsUnlessTheyAreQualified() {
        try (CountingApp app = start("one", "fbf.schema.name=" + OWN)) {
            SqlCounters pages = app.bean("pages", SqlCounters.class);
            SqlCounters qualified = app.bean("qualified", SqlCounters.class);
            for (String tenant : List.of("tenant_x", "tenant_y", "tenant_y")) {
                tenants.tenant = tenant;
                app.transaction.executeWithoutResult(
                        status -> pages.increment(IdempotencyKey.of("in " + tenant), "home", 1));
            }
            assertThat(views("tenant_x")).isEqualTo(1);
            assertThat(views("tenant_y")).isEqualTo(1);

            assertThat(qualified.increment(IdempotencyKey.of("at once"), "home", 10))
                    .isEqualTo(11);
            assertThat(qualified.value("home")).hasValue(11);
            app.transaction.executeWithoutResult(
                    status -> qualified.increment(IdempotencyKey.of("in a transaction"), "home", 10));
        }
        assertThat(views("tenant_x")).isEqualTo(21);
        assertThat(views("tenant_y")).isEqualTo(1);
    }

    private CountingApp start(String name, String... properties) {
        String[] all = Stream.concat(Stream.of("fbf.mode=" + mode, "test.renewal=100ms"), Stream.of(properties))
                .toArray(String[]::new);
        return CountingApp.start(directory.resolve(name), all, context -> {
            CountingApp.addTo(context, tenants);
            context.registerBean(
                    "counters",
                    SqlCounters.class,
                    () -> context.getBean(SqlCounters.Builder.class).build());
            for (String table : List.of("page", "tenant_x.page")) {
                String scope = table.equals("page") ? "pages" : "qualified";
                context.registerBean(
                        scope,
                        SqlCounters.class,
                        () -> context.getBean(SqlCounters.Builder.class)
                                .scope(scope)
                                .table(table, "name", "views")
                                .build());
            }
        });
    }

    private long counted(String schema) {
        return jdbc.sql("SELECT value FROM " + schema + ".counted")
                .query(Long.class)
                .single();
    }

    private long views(String schema) {
        return jdbc.sql("SELECT views FROM " + schema + ".page")
                .query(Long.class)
                .single();
    }

    private List<String> schemasOfFbfsTables() {
        return jdbc.sql("SELECT DISTINCT schemaname FROM pg_tables WHERE tablename LIKE 'fbf\\_%'")
                .query(String.class)
                .list();
    }
}
