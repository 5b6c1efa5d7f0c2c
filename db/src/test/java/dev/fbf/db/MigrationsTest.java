package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MigrationsTest {

    private DataSource dataSource;

    @BeforeEach
    void startWithAnEmptyDatabase() throws SQLException {
        dataSource = FbfDatabase.empty(MigrationsTest.class);
    }

    @Test
    void hasAHistoryOfItsOwnBesideTheUsers() throws SQLException {
        Flyway users = usersFlyway();
        users.migrate();

        FbfSchema.migrate(dataSource);
        FbfSchema.migrate(dataSource);

        assertThat(users.validateWithResult().validationSuccessful).isTrue();
        assertThat(tables())
                .containsExactly(
                        "fbf_counter",
                        "fbf_horizon",
                        "fbf_lease",
                        "fbf_ledger",
                        "fbf_node",
                        "fbf_response",
                        "fbf_schema_history",
                        "fbf_witness",
                        "flyway_schema_history",
                        "users_table");
    }

    @Test
    void isNotFoundByTheUsersFlywayWhenItComesFirst() throws SQLException {
        FbfSchema.migrate(dataSource);

        Flyway users = usersFlyway();
        users.migrate();

        assertThat(Arrays.stream(users.info().applied()).map(MigrationInfo::getScript))
                .containsExactly("<< Flyway Baseline >>", "V1__users_table.sql");
    }

    @Test
    void knowsItsNewestMigration() {
        MigrationInfo[] migrations = Flyway.configure()
                .dataSource(dataSource)
                .locations(FbfSchema.LOCATION)
                .load()
                .info()
                .all();

        assertThat(migrations[migrations.length - 1].getVersion()).hasToString(Migrations.VERSION);
    }

    /** Flyway would find that out, and is not asked. */
    @Test
    void looksNoFurtherIfTheNewestMigrationWasApplied() throws SQLException {
        FbfSchema.migrate(dataSource);
        execute("UPDATE fbf_schema_history SET checksum = 7");

        assertThatNoException().isThrownBy(() -> FbfSchema.migrate(dataSource));
    }

    @Test
    void aMigrationThatFailedIsFlywaysToReport() throws SQLException {
        FbfSchema.migrate(dataSource);
        execute("UPDATE fbf_schema_history SET success = false WHERE version = '" + Migrations.VERSION + "'");

        assertThatExceptionOfType(FlywayException.class).isThrownBy(() -> FbfSchema.migrate(dataSource));
    }

    @Test
    void theTablesOfAnotherSchemaAreNotItsOwn() throws SQLException {
        FbfSchema.migrate(dataSource);
        execute("CREATE SCHEMA other", "ALTER DATABASE migrationstest SET search_path = other, public");

        FbfSchema.migrate(dataSource);

        execute("SELECT * FROM other.fbf_witness");
    }

    /** As Spring Boot sets it up, and strict about file names. */
    private Flyway usersFlyway() {
        return Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:db/migration")
                .validateMigrationNaming(true)
                .baselineOnMigrate(true)
                .baselineVersion("0")
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
