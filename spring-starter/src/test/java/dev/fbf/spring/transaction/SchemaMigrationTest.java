package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.operation.BoundProperties;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tables of a database that somebody changes while the application runs. */
@Tag("slow")
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class SchemaMigrationTest {

    private DataSource database;
    private JdbcClient jdbc;

    @BeforeEach
    void empty(EmbeddedPostgres postgres) {
        database = PostgresExtension.newDatabase(postgres, "emptied");
        jdbc = JdbcClient.create(database);
    }

    @Test
    void anEmptiedSchemaGetsTheTablesAgainThoughItHadThem(CapturedOutput output) {
        SchemaMigration migration = migration();
        migration.migrate(database, Mode.LEDGER);
        jdbc.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public").update();

        migrateAgain(migration);

        assertThat(hasLedger()).isTrue();
        migrateAgain(migration);
        assertThat(output)
                .containsOnlyOnce("The database of dataSource lacked fbf's tables: fbf has created them again");
    }

    @Test
    void nothingIsMadeAgainIfItIsForAnAdministratorToMake() {
        migration().migrate(database, Mode.LEDGER);
        jdbc.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public").update();

        migrateAgain(migration("fbf.schema.migrate=false"));

        assertThat(hasLedger()).isFalse();
    }

    @Test
    void aUserThatMayNoLongerMakeTablesIsTold(EmbeddedPostgres postgres) {
        SchemaMigration migration = migration();
        migration.migrate(database, Mode.LEDGER);
        jdbc.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP ROLE IF EXISTS visitor; CREATE ROLE visitor"
                        + " LOGIN; GRANT USAGE ON SCHEMA public TO visitor")
                .update();
        try {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> migration.migrateAgain(
                            "dataSource", postgres.getDatabase("visitor", "emptied"), FbfSchema.in("public")))
                    .withMessageContaining("no permission to create tables in schema public");
        } finally {
            jdbc.sql("DROP OWNED BY visitor; DROP ROLE visitor").update();
        }
    }

    private void migrateAgain(SchemaMigration migration) {
        migration.migrateAgain("dataSource", database, migration.schema());
    }

    private boolean hasLedger() {
        return jdbc.sql("SELECT to_regclass('public.fbf_ledger') IS NOT NULL")
                .query(Boolean.class)
                .single();
    }

    private static SchemaMigration migration(String... properties) {
        return new SchemaMigration(BoundProperties.of(properties).schema());
    }
}
