package dev.fbf.db.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.FbfSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class MigrationsTest {

    private static final int PROCESSES = 4;

    private DataSource dataSource;

    @BeforeEach
    void startWithAnEmptyDatabase() throws SQLException {
        dataSource = FbfDatabase.empty(MigrationsTest.class);
    }

    @Test
    void hasAHistoryOfItsOwnBesideTheUsers() throws SQLException {
        Flyway users = usersFlyway();
        users.migrate();

        FbfSchema.migrate(dataSource, null);
        FbfSchema.migrate(dataSource, null);

        assertThat(users.validateWithResult().validationSuccessful).isTrue();
        assertThat(tables())
                .containsExactly(
                        "fbf_counter",
                        "fbf_horizon",
                        "fbf_lease",
                        "fbf_ledger",
                        "fbf_response",
                        "fbf_schema_history",
                        "fbf_scope",
                        "fbf_witness",
                        "flyway_schema_history",
                        "users_table");
    }

    @Test
    void isNotFoundByTheUsersFlywayWhenItComesFirst() throws SQLException {
        FbfSchema.migrate(dataSource, null);

        Flyway users = usersFlyway();
        users.migrate();

        assertThat(Arrays.stream(users.info().applied()).map(MigrationInfo::getScript))
                .containsExactly("<< Flyway Baseline >>", "V1__users_table.sql");
    }

    @Test
    void knowsItsNewestMigration() {
        MigrationInfo[] migrations = Flyway.configure()
                .dataSource(dataSource)
                .locations(Dialect.LOCATION + "/postgresql")
                .load()
                .info()
                .all();

        assertThat(migrations[migrations.length - 1].getVersion()).hasToString(Migrations.VERSION);
    }

    /** Flyway would find that out, and is not asked. */
    @Test
    void looksNoFurtherIfTheNewestMigrationWasApplied() throws SQLException {
        FbfSchema.migrate(dataSource, null);
        execute("UPDATE fbf_schema_history SET checksum = 7");

        assertThatNoException().isThrownBy(() -> FbfSchema.migrate(dataSource, null));
    }

    @Test
    void tablesInALaterSchemaOfTheSearchPathMakeNoNewOnesUnlessTheSchemaIsNamed() throws SQLException {
        FbfSchema.migrate(dataSource, null);
        execute("CREATE SCHEMA other", "ALTER DATABASE migrationstest SET search_path = other, public");

        assertThatExceptionOfType(FlywayException.class)
                .isThrownBy(() -> FbfSchema.migrate(dataSource, null))
                .withMessageContainingAll("schema public", "schema other");
        FbfSchema.migrate(dataSource, "other");

        execute("SELECT * FROM other.fbf_witness");
    }

    /** Whose connections are given out with autocommit, or without. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPoolOfOneConnectionIsEnoughAndGetsItBackAsItWas(boolean autoCommit) throws SQLException {
        execute(
                "CREATE SCHEMA other",
                "ALTER DATABASE migrationstest SET default_transaction_isolation = 'repeatable read'");
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(dataSource);
            pool.setMaximumPoolSize(1);
            pool.setConnectionTimeout(250);
            pool.setAutoCommit(autoCommit);
            pool.setConnectionInitSql("SET search_path = other, public");

            FbfSchema.migrate(pool, "fbf");

            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
                assertThat(FbfDatabase.query(connection, "SHOW search_path")).isEqualTo("other, public");
                assertThat(FbfDatabase.query(connection, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                        .isEqualTo("0");
                assertThat(FbfDatabase.query(connection, "SELECT count(*) FROM fbf.fbf_witness"))
                        .isEqualTo("0");
            }
        }
    }

    /** Though the database's defaults are against it: they wait for each other longer than a statement may, and see what came since. */
    @Test
    void processesThatStartTogetherMakeThemOnce() throws Exception {
        execute(
                "ALTER DATABASE migrationstest SET default_transaction_isolation = 'repeatable read'",
                "ALTER DATABASE migrationstest SET lock_timeout = '1ms'",
                "ALTER DATABASE migrationstest SET statement_timeout = '100ms'");

        assertThat(together(() -> FbfSchema.in("own").migrateAgain(dataSource)))
                .containsOnlyOnce(true)
                .hasSize(PROCESSES);
    }

    @Test
    void aMigrationThatFailsLeavesNothingAndSaysWhy() throws SQLException {
        execute("CREATE VIEW fbf_witness AS SELECT 1");

        assertThatExceptionOfType(FlywayException.class)
                .isThrownBy(() -> FbfSchema.migrate(dataSource, null))
                .withMessageContaining("\"fbf_witness\" is not a table");
        assertThat(tables()).isEmpty();
    }

    /** Its rows would be missing, and the other tables' rows would not. */
    @Test
    void aTableThatWasDroppedAloneIsNotMadeAgain() throws SQLException {
        FbfSchema schema = migratedAndFound();
        execute("DROP TABLE fbf_ledger");

        assertThat(schema.migrateAgain(dataSource)).isFalse();

        assertThat(tables()).doesNotContain("fbf_ledger");
    }

    @Test
    void aDroppedSchemaIsMadeAgain() throws SQLException {
        FbfSchema schema = migratedAndFound();
        execute("DROP SCHEMA public CASCADE");

        assertThat(schema.migrateAgain(dataSource)).isTrue();

        assertUsable(schema);
    }

    private FbfSchema migratedAndFound() throws SQLException {
        FbfSchema.migrate(dataSource, null);
        FbfSchema schema = FbfSchema.onSearchPath();
        assertUsable(schema);
        return schema;
    }

    private void assertUsable(FbfSchema schema) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            assertThat(CounterTable.ofFbf(schema.sql(connection, "{fbf}.fbf_counter"))
                            .add(connection, "views", 1))
                    .isEqualTo(1);
        }
    }

    /** What several threads get that call it at the same time, each with connections of its own. */
    private static List<Boolean> together(Callable<Boolean> call) throws Exception {
        ExecutorService processes = Executors.newFixedThreadPool(PROCESSES);
        try {
            List<Boolean> results = new ArrayList<>();
            for (Future<Boolean> result : processes.invokeAll(Collections.nCopies(PROCESSES, call))) {
                results.add(result.get());
            }
            return results;
        } finally {
            processes.shutdownNow();
        }
    }

    /** As Spring Boot sets it up, and strict about file names. */
    private Flyway usersFlyway() {
        return Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:db/migration")
                .validateMigrationNaming(true)
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .cleanDisabled(false)
                .load();
    }

    private List<String> tables() throws SQLException {
        List<String> tables = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")) {
            while (rows.next()) {
                tables.add(rows.getString(1));
            }
        }
        return tables;
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
